// What `bombard judge` says of programs of every kind: the program of tests/tools/judge/, which
// makes the mistakes that it is told to make, and one for MPI.

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

using nlohmann::json;

class Verdicts : public ProgramTest {
 protected:
  Verdicts() {
    done(
        "mkdir -p tmp cases/small cases/crowd; printf '2\\n5 100\\n15 90\\n' "
        ">cases/small/storm.txt");
    written("cases/small/case.json", R"({"cells": 20, "storms": ["storm.txt"]})");
    // 300 impacts, so that another order of their sum has other digits.
    done(
        "(echo 300; for i in $(seq 300); do echo $((i * 7 % 59)) $((i * i % 977 + 1)); done) "
        ">cases/crowd/storm.txt");
    written("cases/crowd/case.json", R"({"cells": 59, "storms": ["storm.txt", "storm.txt"]})");
  }
  /// No run leaves anything behind.
  ~Verdicts() override { EXPECT_EQ(shell("ls tmp").out, ""); }

  /// Some of the built-in cases: those that tell what is wrong without much time.
  void keep(const std::string& cases) {
    done("bombard judge --keep all; mkdir kept; mv all/{" + cases + "} kept");
  }
  Outcome judge(const std::string& mistakes, const std::string& options = "--cases cases") {
    return shell("TMPDIR=$PWD/tmp RUNS=$PWD/runs MISTAKE=" + mistakes +
                 " bombard judge " BOMBARD_SEQUENTIAL_PROGRAM " " + options);
  }
  json judged(const std::string& mistakes, const std::string& options = "--cases cases") {
    const Outcome outcome = judge(mistakes, options + " --format json");
    EXPECT_EQ(outcome.err, "") << mistakes;
    return json::parse(outcome.out).at("programs").at(0);
  }
  static json row(const json& program, const std::string& name) {
    for (const json& row : program.at("cases")) {
      if (row.at("case") == name) return row;
    }
    return {};
  }
  /// The crowded case has this verdict, and a complaint in which this stands.
  void expect(const std::string& mistakes, const std::string& kind, const std::string& complaint,
              const std::string& options = "--cases cases") {
    const json crowd = row(judged(mistakes, options), "crowd");
    EXPECT_EQ(crowd.at("kind"), kind) << mistakes << crowd;
    EXPECT_TRUE(contains(crowd.at("complaint"), complaint)) << mistakes << crowd;
  }
  void expect_hint(const std::string& mistakes, const std::string& hint) {
    const json program = judged(mistakes);
    EXPECT_EQ(row(program, "crowd").at("kind"), "right") << mistakes << program;
    ASSERT_EQ(program.at("hints").size(), 1U) << mistakes;
    EXPECT_EQ(program.at("hints").at(0), hint);
  }
};

TEST_F(Verdicts, OfOtherDigits) {
  expect("", "right", "");
  expect("other_order", "rounding", "roundings explain it: another order of the sum");
  expect("unordered_sum", "rounding", "the order of the sum differs between runs");
  expect("nearly", "wrong", "(off by 1.0e-05 of it)");
  expect("race", "race", "a race or memory that is not set: storm 1: position ");
  expect("race", "race", "(off by ");  // not only how far the runs are from each other
}

// Roundings tell equal maxima apart; a program without roundings takes one of them by chance.
TEST_F(Verdicts, OfEqualMaxima) {
  keep("ties,many_storms");
  const std::string options = "--cases kept --repeat 8";
  const json by_chance = row(judged("any_position", options), "ties");
  EXPECT_EQ(by_chance.at("kind"), "race") << by_chance;
  EXPECT_TRUE(contains(by_chance.at("complaint"), "which of them it takes differs between runs"));
  EXPECT_EQ(row(judged("any_position,other_order", options), "ties").at("kind"), "rounding");
  const json tolerated = row(judged("larger_position", options + " --tolerance 1e-6"), "ties");
  EXPECT_EQ(tolerated.at("kind"), "rounding");
  EXPECT_TRUE(contains(tolerated.at("complaint"), "position 50 in place of 9, maximum 6393.75"));
}

TEST_F(Verdicts, OfTolerances) {
  const std::string cases = "--cases cases ";
  expect("nearly", "rounding", "within the tolerance", cases + "--tolerance 2e-5");
  expect("nearly", "wrong", "", cases + "--tolerance 5e-6");
  expect("nearly", "rounding", "within the tolerance", cases + "--absolute-tolerance 1000");
  expect("nearly", "wrong", "", cases + "--absolute-tolerance 1e-4");
  expect("other_order", "wrong", "", cases + "--tolerance 0");
  EXPECT_EQ(judge("other_order").exit_code, 0);
  EXPECT_EQ(judge("other_order", cases + "--strict").exit_code, 1);
  expect_refused(2, {{"bombard judge " BOMBARD_SEQUENTIAL_PROGRAM " --absolute-tolerance x",
                      "--absolute-tolerance \"x\" is not a number from 0 up"}});
}

TEST_F(Verdicts, OfRunsWithoutAnAnswer) {
  expect("crash", "crash", "crashes: Segmentation fault (signal 11)");
  expect("crash_at_the_end", "crash", "it had printed its answer before");
  expect("no_result", "no_answer", "it prints no Result: line");
  // Behind what it says there is a row of dashes.
  expect("needs_launcher", "no_answer", "exit code 13; it says \"start me with my launcher");
  expect("hang", "timeout", "has not ended after 0.3 s", "--cases cases --timeout 0.3");
}

TEST_F(Verdicts, AreOfDigitsAndNotOfTheExitCode) {
  expect_hint("exit_code", "It ends with exit code 3 although it has an answer.");
  expect_hint("time_negative", "Its Time: -1 is negative; it does not count.");
  expect_hint("time_nan", "Its Time: nan is no number; it does not count.");
  expect_hint("time_too_long",
              "Its Time: 1000000 is larger than the time of its whole process; it does not count.");
  EXPECT_TRUE(row(judged("time_nan"), "small").at("time_seconds").is_null());
}

TEST_F(Verdicts, OfAProgramWithOtherArguments) {
  const json program = judged("threads_first");
  EXPECT_EQ(row(program, "crowd").at("kind"), "no_answer");
  EXPECT_TRUE(contains(program.at("hints").at(0), "it is started as `PROGRAM {cells} {storms}`"));
  EXPECT_EQ(row(program, "small").at("kind"), "no_answer");
  EXPECT_EQ(row(program, "small").at("complaint"),
            "not run: the first case shows that it takes other arguments");
  expect("threads_first", "right", "", "--cases cases --arguments '{threads} {cells} {storms}'");
}

// Four parts, as in the program: each is named, alone or beside what cannot be told from it.
TEST_F(Verdicts, NameMistakesOfParts) {
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"position_apart", "position_reduced_apart_4"},
      {"position_not_sent", "position_not_sent_4"},
      {"dropped_remainder", "leftover_cells_dropped_4"},
      {"last_not_relaxed", "parts_with_last_cells_not_relaxed_4"},
      {"one_too_far", "parts_with_other_neighbours_4"},
      {"old_neighbours", "parts_with_old_neighbours_4"},
      {"old_neighbours,other_order", "parts_with_old_neighbours_4"},
      {"stale_maximum", "stale_maximum"},
      {"no_relaxation,larger_position", "no_relaxation+larger_position"}};
  keep("three_cells,ends,ties,storm_order,many_storms,uneven_borders");
  for (const auto& [mistake, name] : mistakes) {
    const json program = judged(mistake, "--cases kept");
    EXPECT_EQ(program.at("looks_like"), json::array({name})) << mistake;
    EXPECT_EQ(program.at("right"), false);
  }
}

// It is right in the assignment, where each storm has a peak.
TEST_F(Verdicts, OfNoPeakAreBeyondTheAssignment) {
  keep("ties,two_cells,no_peak,zero_and_negative");
  const json program = judged("minus_one", "--cases kept");
  EXPECT_EQ(program.at("looks_like"), json::array({"minus_one_without_peak"}));
  for (const json& of_case : program.at("cases")) {
    EXPECT_TRUE(of_case.at("right") || of_case.at("group") == "beyond") << of_case;
  }
  EXPECT_EQ(judge("minus_one", "--cases kept").exit_code, 0);
}

TEST_F(Verdicts, OfOneCaseNameAMistakeOnce) {
  for (const json& name : row(judged("old_neighbours"), "crowd").at("looks_like")) {
    EXPECT_TRUE(contains(name, "parts_with_old_neighbours_")) << name;
  }
}

TEST_F(Verdicts, LeaveNoDirectory) {
  expect("deep_directory", "right", "");
}

TEST_F(Verdicts, BesideABaseline) {
  const std::string baseline = "--cases cases --baseline " BOMBARD_SEQUENTIAL_PROGRAM;
  const json crowd = row(judged("", baseline), "crowd");
  EXPECT_GT(crowd.at("sequential_seconds"), 0);
  EXPECT_EQ(crowd.at("sequential_is_estimate"), false);
  const Outcome wrong = judge("no_relaxation", baseline);
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(contains(wrong.err, "is not right in the case crowd: storm 1 of 2: position "));
}

// As the published program.
TEST_F(Verdicts, OfMpiWithoutFinalize) {
  if (std::string(BOMBARD_UNFINISHED_MPI_PROGRAM).empty()) GTEST_SKIP() << "built without MPI";
  if (std::system("command -v mpirun >/dev/null") != 0) GTEST_SKIP() << "no mpirun";
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
  setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
  done("ls /dev/shm | sort >before");
  const Outcome outcome = shell("TMPDIR=$PWD/tmp bombard judge " BOMBARD_UNFINISHED_MPI_PROGRAM
                                " --cases cases --launcher 'mpirun -n 2' --format json");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const json program = json::parse(outcome.out).at("programs").at(0);
  EXPECT_EQ(row(program, "crowd").at("kind"), "right");
  EXPECT_EQ(program.at("hints"),
            json::array({"MPI_Finalize is missing: Open MPI may lose output."}));
  const Outcome killed =
      shell("TMPDIR=$PWD/tmp MISTAKE=hang bombard judge " BOMBARD_UNFINISHED_MPI_PROGRAM
            " --cases cases --launcher 'mpirun -n 2' --timeout 1");
  EXPECT_EQ(killed.exit_code, 1);
  // Segments of other programs that start meanwhile are gone after some seconds.
  EXPECT_EQ(shell("for i in $(seq 100); do left=$(ls /dev/shm | sort | comm -13 before - | "
                  "grep vader_segment) || exit 0; sleep 0.1; done; echo \"$left\"")
                .out,
            "");
}

}  // namespace
}  // namespace bombard::tests
