// `bombard judge` as teachers and students use it, on a program of the assignment that makes
// mistakes when it is told to (tests/tools/judge/sequential_program.cpp).

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class Judge : public ProgramTest {
 protected:
  Judge() {
    std::filesystem::create_directory(path("tmp"));
    setenv("TMPDIR", path("tmp").c_str(), 1);
    std::filesystem::create_symlink(BOMBARD_SEQUENTIAL_PROGRAM, path("program"));
  }
  /// No run leaves anything behind.
  ~Judge() override {
    EXPECT_TRUE(std::filesystem::is_empty(path("tmp")));
    unsetenv("TMPDIR");
  }

  Outcome judge(std::vector<std::string> options, const std::string& mistake = "") {
    options.insert(options.begin(), {"judge", path("program")});
    setenv("MISTAKE", mistake.c_str(), 1);
    Outcome outcome = bombard(options);
    unsetenv("MISTAKE");
    return outcome;
  }

  /// One small case, so that what goes wrong everywhere need not go wrong often.
  std::string one_case() {
    std::filesystem::create_directories(path("cases/small"));
    write_file(path("cases/small/case.json"), R"({"cells": 20, "storms": ["storm.txt"]})");
    write_file(path("cases/small/storm.txt"), "2\n5 100\n15 90\n");
    return path("cases");
  }

  /// The built-in cases without those that take most of the time.
  std::string small_cases() {
    EXPECT_EQ(bombard({"judge", "--keep", path("small")}).exit_code, 0);
    for (const char* large : {"thresholds", "many_impacts", "a_million_cells"}) {
      std::filesystem::remove_all(path("small") + "/" + large);
    }
    return path("small");
  }

  /// Only what is judged has the name of a storm of a run in its command line.
  const std::string program_runs = "grep -qsa \"$PWD/tmp/[b]ombard-judge-\" /proc/[0-9]*/cmdline";
  bool a_program_runs() { return shell(program_runs).exit_code == 0; }

  void expect_error(const std::vector<std::string>& arguments, const std::string& message) {
    const Outcome outcome = bombard(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(contains(outcome.err, message));
  }
};

TEST_F(Judge, ARightProgram) {
  const Outcome outcome = judge({});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(starts_with(outcome.out, path("program") + "\n\ncase "));
  EXPECT_TRUE(matches(outcome.out, "*\nties *  right  *[0-9].[0-9]*"));
  EXPECT_TRUE(ends_with(outcome.out, "\nright in 18 cases\n"));
}

TEST_F(Judge, ARightProgramOfTheFirstEdition) {
  setenv("EDITION", "1", 1);
  EXPECT_EQ(judge({"--edition", "1"}).exit_code, 0);
  const Outcome wrong = judge({"--edition", "2"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_TRUE(contains(wrong.out, "It looks like this: it computes the rule of the other edition"));
  const Outcome without = judge({"--edition", "1"}, "no_threshold");
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_TRUE(contains(without.out, "It looks like this: the threshold is left out: every share"));
  unsetenv("EDITION");
}

TEST_F(Judge, NamesWhatIsWrong) {
  using nlohmann::json;
  const std::string cases = small_cases();
  for (const std::string mistake :
       {"no_negative_shares", "no_impacts_outside", "relaxation_in_place", "no_relaxation",
        "largest_cell", "larger_position", "plateaus_as_peaks", "layer_not_kept",
        "root_in_double"}) {
    const Outcome outcome = judge({"--format=json", "--cases", cases}, mistake);
    ASSERT_EQ(outcome.exit_code, 1) << mistake << '\n' << outcome.err;
    const json program = json::parse(outcome.out).at("programs").at(0);
    EXPECT_EQ(program.at("right"), false);
    EXPECT_EQ(program.at("looks_like"), json::array({mistake})) << mistake;
    for (const json& row : program.at("cases")) {
      const auto names = row.at("looks_like").get<std::vector<std::string>>();
      EXPECT_EQ(row.at("right"), std::ranges::find(names, mistake) == names.end()) << row;
    }
  }
}

TEST_F(Judge, TellsWhatDiffersFirstAndByHowMuch) {
  const Outcome outcome = judge({}, "larger_position");
  EXPECT_TRUE(
      contains(outcome.out,
               "\n    storm 1 of 3: position 50 in place of 9, maximum 6393.753906\n"
               "    (Two peaks are equal: the one at the smaller position is the maximum.)\n"));
  EXPECT_TRUE(contains(outcome.out,
                       "\nWRONG in 1 of 18 cases\nIt looks like this: of equal maxima it takes the "
                       "one at the larger position.\nThat gives its digits in 16 of the 16 cases "
                       "compared.\n"));
}

TEST_F(Judge, ARace) {
  const Outcome outcome = judge({"--cases", one_case()}, "race");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(
      contains(outcome.out, "    differs from run to run, a race or memory that is not set"));
}

TEST_F(Judge, ATolerance) {
  const Outcome strict = judge({"--cases", one_case()}, "roundings");
  EXPECT_EQ(strict.exit_code, 1);
  EXPECT_TRUE(contains(strict.out, "(off by 1.0e-05 of it); only roundings differ: "));
  EXPECT_EQ(judge({"--cases", one_case(), "--tolerance", "2e-5"}, "roundings").exit_code, 0);
  EXPECT_EQ(judge({"--cases", one_case(), "--tolerance", "5e-6"}, "roundings").exit_code, 1);
  // At another position the layer must be as high. So it is where two peaks are equal.
  const std::string cases = small_cases();
  EXPECT_EQ(judge({"--cases", cases, "--tolerance", "1e-6"}, "larger_position").exit_code, 0);
  EXPECT_EQ(judge({"--cases", cases, "--tolerance", "1e-6"}, "no_relaxation").exit_code, 1);
}

TEST_F(Judge, WhatEndsBadly) {
  const std::vector<std::pair<std::string, std::string>> complaints{
      {"hang", "has not ended after 0.3 s"},
      {"crash", "crashes: Segmentation fault (signal 11)"},
      {"memory", "takes more than 0.1 GB of memory"},
      {"gigabyte", "prints more than 16 MiB"},
      {"files", "writes more than 1024 MiB into files"},
      {"no_result", "it prints no Result: line"},
      {"needs_launcher", "ends with exit code 13; it says \"start me with my launcher?[2J\""}};
  for (const auto& [mistake, complaint] : complaints) {
    const std::string timeout = mistake == "hang" ? "--timeout=0.3" : "--timeout=30";
    const Outcome outcome = judge({"--cases", one_case(), timeout, "--memory=1e8"}, mistake);
    EXPECT_EQ(outcome.exit_code, 1) << mistake;
    EXPECT_TRUE(contains(outcome.out, "    " + complaint + "\n")) << mistake;
    EXPECT_EQ(outcome.err, "") << mistake;
  }
}

TEST_F(Judge, WhatForksAndForks) {
  const Outcome outcome = judge({"--cases", one_case(), "--timeout=10"}, "fork_and_fork");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(contains(outcome.out, "    has more than 512 processes\n"));
  EXPECT_FALSE(a_program_runs());
}

TEST_F(Judge, WhatIsRightAndLeavesARubbishHeap) {
  for (const char* mistake : {"fork", "locked_directory"}) {
    EXPECT_EQ(judge({"--cases", one_case()}, mistake).exit_code, 0) << mistake;
  }
  EXPECT_FALSE(a_program_runs());
}

TEST_F(Judge, WhatHangsIsNotRunForEver) {
  const Outcome outcome = judge({"--timeout=0.1"}, "hang");
  EXPECT_TRUE(contains(outcome.out, "    not run: 3 cases before it took too long\n"));
  EXPECT_TRUE(contains(outcome.out, "WRONG in 18 of 18 cases\n"));
}

TEST_F(Judge, ArraysOfAFixedSize) {
  const Outcome outcome = judge({}, "fixed_array");
  EXPECT_TRUE(contains(outcome.out, "WRONG in 1 of 18 cases\n"));
  EXPECT_TRUE(contains(outcome.out, "(More than 20000 impacts in a storm: arrays must be long"));
}

TEST_F(Judge, ALauncher) {
  write_file(path("launch"),
             "#!/bin/sh\n[ \"$1\" = -n ] || exit 9\nshift 2\nLAUNCHED=1 exec \"$@\"\n");
  std::filesystem::permissions(path("launch"), std::filesystem::perms::owner_all);
  const std::vector<std::string> options{"--cases", one_case(), "--launcher",
                                         " " + path("launch") + "  -n 4"};
  EXPECT_EQ(judge(options, "needs_launcher").exit_code, 0);
  const Outcome missing = judge({"--cases", one_case(), "--launcher", "no-such-launcher -n 4"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_TRUE(contains(missing.out, "    cannot be started: No such file or directory\n"));
}

TEST_F(Judge, AClass) {
  std::filesystem::create_symlink(path("program"), path("other"));
  write_file(path("rubbish"), "no program");
  std::filesystem::permissions(path("rubbish"), std::filesystem::perms::owner_all);
  const Outcome table = judge({path("other"), path("rubbish"), "--cases", one_case()});
  EXPECT_EQ(table.exit_code, 1);
  EXPECT_TRUE(contains(table.out, "    cannot be started: Exec format error\n"));
  EXPECT_TRUE(ends_with(table.out, "\n\nanswer  wrong  program\nright       0  " + path("program") +
                                       "\nright       0  " + path("other") + "\nWRONG       1  " +
                                       path("rubbish") + "\n"));
  const Outcome csv = judge({path("rubbish"), "--cases", one_case(), "--format=csv"});
  EXPECT_EQ(csv.exit_code, 1);
  EXPECT_TRUE(matches(csv.out, "program,case,*estimate\r\n" + path("program") +
                                   ",small,2,20,1,right,,,0.*,0.*,0.*,0.*,false\r\n" +
                                   path("rubbish") +
                                   ",small,2,20,1,wrong,cannot be started: Exec format "
                                   "error,,,0.*,0.*,0.*,false\r\n"));
}

TEST_F(Judge, CasesThatAreKeptAreCasesToRun) {
  EXPECT_EQ(bombard({"judge", "--edition=1", "--keep", path("kept")}).out, "");
  EXPECT_EQ(content_of(path("kept/one_cell/result.txt")), "Result: 0 0.000000 0 0.000000\n");
  setenv("EDITION", "1", 1);
  const Outcome outcome = judge({"--cases", path("kept")});
  unsetenv("EDITION");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "right in 18 cases"));
  write_file(path("kept/ties/result.txt"), "Result: 1 1 1 1 1 1\n");
  expect_error({"judge", path("program"), "--cases", path("kept")}, "ties/result.txt: is not the");
}

// Ctrl-C, as the terminal sends it to the judge alone: the program has a session of its own.
TEST_F(Judge, AJudgeThatIsInterrupted) {
  for (const char* signal : {"INT", "TERM"}) {
    const Outcome outcome = shell("set -m; MISTAKE=hang \"$bombard\" judge program --cases '" +
                                  one_case() + "' & until " + program_runs +
                                  "; do sleep 0.02; done; kill -" + signal + " $!; wait $!");
    EXPECT_EQ(outcome.exit_code, 128 + (signal[0] == 'I' ? SIGINT : SIGTERM)) << outcome.err;
    EXPECT_FALSE(a_program_runs());
    EXPECT_TRUE(std::filesystem::is_empty(path("tmp")));
  }
}

TEST_F(Judge, WrongUsage) {
  expect_error({"judge"}, "PROGRAM is missing; see `bombard judge --help`");
  expect_error({"judge", path("missing")}, "missing: there is no such file; give the path of a");
  write_file(path("source.c"), "int main() {}");
  expect_error({"judge", path("source.c")}, "source.c: is not a program; compile it first");
  expect_error({"judge", directory.string()}, "is not a program");
  const std::string program = path("program");
  expect_error({"judge", program, "--edition=3"},
               "--edition \"3\" is not an edition; it is 1 or 2");
  expect_error({"judge", program, "--format=xml"}, "it is table, json or csv");
  expect_error({"judge", program, "--cases=slow"}, "it is quick, all, or a directory of cases");
  for (const char* timeout : {"0", "-1", "x", "", "inf", "nan", "1s"}) {
    expect_error({"judge", program, "--timeout", timeout}, "is not a number above 0");
  }
  expect_error({"judge", program, "--tolerance", "-1"}, "is not a number from 0 up");
  expect_error({"judge", program, "--repeat=0"}, "--repeat 0 is out of range");
  expect_error({"judge", program, "--memory=0"}, "--memory 0 is out of range");
  EXPECT_TRUE(contains(bombard({"help", "judge"}).out, "bombard judge PROGRAM... [OPTION...]"));
}

}  // namespace
}  // namespace bombard::tests
