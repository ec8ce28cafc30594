// `bombard judge` as teachers and students use it, on a program of the assignment that makes
// mistakes when it is told to (tests/tools/judge/sequential_program.cpp).

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class Judge : public ProgramTest {
 protected:
  Judge() {
    done("mkdir tmp; ln -s " BOMBARD_SEQUENTIAL_PROGRAM " program");
    // One small case, so that what goes wrong everywhere need not go wrong often.
    done("mkdir -p cases/small; printf '2\\n5 100\\n15 90\\n' >cases/small/storm.txt");
    written("cases/small/case.json", R"({"cells": 20, "storms": ["storm.txt"]})");
  }
  /// No run leaves anything behind.
  ~Judge() override { EXPECT_TRUE(std::filesystem::is_empty(path("tmp"))); }

  /// A program that makes this mistake is judged.
  Outcome judge(const std::string& options, const std::string& mistake = "") {
    return shell("TMPDIR=$PWD/tmp RUNS=$PWD/runs MISTAKE=" + mistake + " bombard judge program " +
                 options);
  }
  void expect_right(const std::string& options, const std::string& mistake = "") {
    const Outcome outcome = judge(options, mistake);
    EXPECT_EQ(outcome.exit_code, 0) << options << mistake << outcome.out << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }
  /// It is wrong, and the table says this about it.
  void expect_wrong(const std::string& options, const std::string& mistake,
                    const std::vector<std::string>& parts) {
    const Outcome outcome = judge(options, mistake);
    EXPECT_EQ(outcome.exit_code, 1) << options << mistake << outcome.err;
    EXPECT_EQ(outcome.err, "");
    for (const std::string& part : parts) EXPECT_TRUE(contains(outcome.out, part)) << mistake;
  }

  /// The built-in cases without those that take most of the time.
  void keep_small_cases() {
    done("bombard judge --keep kept; rm -r kept/{thresholds,many_impacts,a_million_cells}");
  }

  /// Only what is judged has the name of a storm of a run in its command line.
  const std::string program_runs = "grep -qsa \"$PWD/tmp/[b]ombard-judge-\" /proc/[0-9]*/cmdline";
  bool a_program_runs() { return shell(program_runs).exit_code == 0; }
};

TEST_F(Judge, ARightProgram) {
  const Outcome outcome = judge("");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(matches(outcome.out,
                      "program\n\ncase *\nties *  right  *[0-9].[0-9]*\nright in 12 cases "
                      "of the assignment\nright in 6 cases beyond it\n"));
}

TEST_F(Judge, ARightProgramOfTheFirstEdition) {
  setenv("EDITION", "1", 1);
  expect_right("--edition 1");
  expect_wrong("--edition 2", "",
               {"It looks like this: it computes the rule of the other edition"});
  expect_wrong("--edition 1", "no_threshold",
               {"It looks like this: the threshold is left out: every share"});
  expect("bombard judge --edition=1 --keep kept; cat kept/one_cell/result.txt",
         "Result: 0 0.000000 0 0.000000\n");
  EXPECT_TRUE(contains(judge("--cases kept").out, "right in 6 cases beyond it"));
  unsetenv("EDITION");
  written("kept/ties/result.txt", "Result: 1 1 1 1 1 1\n");
  expect_refused(2, {{"bombard judge program --cases kept", "ties/result.txt: is not the"}});
}

TEST_F(Judge, NamesWhatIsWrong) {
  using nlohmann::json;
  keep_small_cases();
  for (const std::string mistake :
       {"no_negative_shares", "no_impacts_outside", "relaxation_in_place", "no_relaxation",
        "largest_cell", "larger_position", "plateaus_as_peaks", "layer_not_kept",
        "root_in_double"}) {
    const Outcome outcome = judge("--format=json --cases kept", mistake);
    // Beyond the assignment's cases, or a rounding.
    const bool passes = mistake == "no_negative_shares" || mistake == "no_impacts_outside" ||
                        mistake == "root_in_double";
    ASSERT_EQ(outcome.exit_code, passes ? 0 : 1) << mistake << '\n' << outcome.err;
    const json program = json::parse(outcome.out).at("programs").at(0);
    EXPECT_EQ(program.at("looks_like"), json::array({mistake})) << mistake;
    for (const json& row : program.at("cases")) {
      const auto names = row.at("looks_like").get<std::vector<std::string>>();
      EXPECT_EQ(row.at("right"), std::ranges::find(names, mistake) == names.end()) << row;
    }
  }
}

TEST_F(Judge, SaysWhatIsWrong) {
  expect_wrong("", "larger_position",
               {"\n    storm 1 of 3: position 50 in place of 9, maximum 6393.753906\n"
                "    (Two peaks are equal: the one at the smaller position is the maximum.)\n",
                "\nWRONG in 2 of 12 cases of the assignment\nright in 6 cases beyond it\nIt looks "
                "like this: of equal maxima it takes the one at the "
                "larger position.\nThat gives its digits in 16 of the 16 cases compared.\n"});
  expect_wrong("", "fixed_array",
               {"WRONG in 1 of 12 cases of the assignment\n",
                "(More than 20000 impacts in a storm: arrays must be long"});
  expect_wrong("--timeout=0.1", "hang",
               {"    not run: 3 cases before it took too long\n",
                "WRONG in 12 of 12 cases of the assignment\n"});
  const std::vector<std::pair<std::string, std::string>> complaints{
      {"race", "differs from run to run, a race or memory that is not set"},
      {"crash", "crashes: Segmentation fault (signal 11)\n"},
      {"memory", "takes more than 0.1 GB of memory\n"},
      {"gigabyte", "prints more than 16 MiB\n"},
      {"files", "writes more than 1024 MiB into files\n"},
      {"no_result", "it prints no Result: line\n"},
      {"needs_launcher", "ends with exit code 13; it says \"start me with my launcher?[2J\"\n"}};
  for (const auto& [mistake, complaint] : complaints) {
    expect_wrong("--cases cases --timeout=30 --memory=1e8", mistake, {"    " + complaint});
  }
  expect_wrong("--cases cases --timeout=0.3", "hang", {"    has not ended after 0.3 s\n"});
}

TEST_F(Judge, ATolerance) {
  expect_wrong("--cases cases", "nearly", {"(off by 1.0e-05 of it)\n"});
  expect_right("--cases cases --tolerance 2e-5", "nearly");
  expect_wrong("--cases cases --tolerance 5e-6", "nearly", {});
  // At another position the layer must be as high. So it is where two peaks are equal.
  keep_small_cases();
  expect_right("--cases kept --tolerance 1e-6", "larger_position");
  expect_wrong("--cases kept --tolerance 1e-6", "no_relaxation", {});
}

TEST_F(Judge, LeavesNoProcess) {
  expect_wrong("--cases cases --timeout=10", "fork_and_fork",
               {"    has more than 512 processes\n"});
  for (const char* mistake : {"fork", "locked_directory"}) expect_right("--cases cases", mistake);
  EXPECT_FALSE(a_program_runs());
}

TEST_F(Judge, ALauncher) {
  written("launch", "#!/bin/sh\n[ \"$1\" = -n ] || exit 9\nshift 2\nLAUNCHED=1 exec \"$@\"\n");
  done("chmod u+x launch");
  expect_right("--cases cases --launcher \" $PWD/launch  -n 4\"", "needs_launcher");
  expect_wrong("--cases cases --launcher 'no-such-launcher -n 4'", "",
               {"    cannot be started: No such file or directory\n"});
}

TEST_F(Judge, AClass) {
  done("ln -s program other; echo no program >rubbish; chmod u+x rubbish");
  const Outcome table = judge("other rubbish --cases cases");
  EXPECT_EQ(table.exit_code, 1);
  EXPECT_TRUE(matches(table.out,
                      "*    cannot be started: Exec format error\n*\n\n"
                      "answer     wrong      seconds  speedup  program\n"
                      "right          0 *  program\nright          0 *  other\n"
                      "NO ANSWER      1            -        -  rubbish\n"));
  const Outcome csv = judge("rubbish --cases cases --format=csv");
  EXPECT_EQ(csv.exit_code, 1);
  EXPECT_TRUE(matches(csv.out,
                      "program,case,*estimate,group,distance,threads\r\n"
                      "program,small,2,20,1,right,,,[0-9]*,[0-9]*,[0-9]*,[0-9]*,false,assignment,0,"
                      "\r\nrubbish,small,2,20,1,no_answer,cannot be started: Exec format "
                      "error,,,[0-9]*,[0-9]*,[0-9]*,false,assignment,,\r\n"));
}

// Ctrl-C, as the terminal sends it to the judge alone: the program has a session of its own.
TEST_F(Judge, AJudgeThatIsInterrupted) {
  for (const char* signal : {"INT", "TERM"}) {
    const Outcome outcome =
        shell("set -m; TMPDIR=$PWD/tmp MISTAKE=hang bombard judge program --cases cases & until " +
              program_runs + "; do sleep 0.02; done; kill -" + signal + " $!; wait $!");
    EXPECT_EQ(outcome.exit_code, 128 + (signal[0] == 'I' ? SIGINT : SIGTERM)) << outcome.err;
    EXPECT_FALSE(a_program_runs());
    EXPECT_TRUE(std::filesystem::is_empty(path("tmp")));
  }
}

TEST_F(Judge, WrongUsage) {
  const std::string judge = "bombard judge program ";
  expect_refused(
      2,
      {{"bombard judge", "PROGRAM is missing; see `bombard judge --help`"},
       {"bombard judge missing", "missing: there is no such file; give the path of a"},
       {"echo >source.c; bombard judge source.c", "source.c: is not a program; compile it first"},
       {"bombard judge .", "is not a program"},
       {judge + "--edition=3", "--edition \"3\" is not an edition; it is 1 or 2"},
       {judge + "--format=xml", "it is table, json, csv, gradescope, junit, classroom, vpl or"},
       {judge + "--cases=slow", "it is quick, all, or a directory of cases"},
       {judge + "--tolerance -1", "is not a number from 0 up"},
       {judge + "--repeat=0", "--repeat 0 is out of range"},
       {judge + "--memory=0", "--memory 0 is out of range"}});
  for (const std::string timeout : {"0", "-1", "x", "", "inf", "nan", "1s"}) {
    expect_refused(2, {{judge + "--timeout '" + timeout + "'", "is not a number above 0"}});
  }
  expect("bombard help judge", "*bombard judge PROGRAM... \\[OPTION...]*");
}

}  // namespace
}  // namespace bombard::tests
