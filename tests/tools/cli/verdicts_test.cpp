// The verdicts of `bombard judge` on programs of every kind: the program of tests/tools/judge/,
// which makes the mistakes that it is told to make, and one for MPI.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/tools/cli/judged_programs.hpp"
#include "tests/tools/mpi/launcher.hpp"

namespace bombard::tests {
namespace {

using nlohmann::json;

class Verdicts : public JudgeTest {
 protected:
  Verdicts() {
    // 300 impacts, so that their sum has other digits in another order.
    done(
        "rm -r cases; mkdir -p cases/crowd; (echo 300; for i in $(seq 300); do echo $((i * 7 % 59))"
        " $((i * i % 977 + 1)); done) >cases/crowd/storm.txt");
    written("cases/crowd/case.json", R"({"cells": 59, "storms": ["storm.txt", "storm.txt"]})");
  }

  struct Expectation {
    std::string mistakes, kind, complaint;  ///< a pattern
  };
  /// Programs with these mistakes have these verdicts on the only case.
  void expect(const std::vector<Expectation>& expectations, const std::string& options = "") {
    std::vector<std::string> mistakes;
    for (const Expectation& expected : expectations) mistakes.push_back(expected.mistakes);
    const json programs = judged(mistakes, options);
    for (std::size_t i = 0; i < expectations.size(); ++i) {
      const json row = programs.at(i).at("cases").at(0);
      EXPECT_EQ(row.at("kind"), expectations[i].kind) << mistakes[i] << row;
      EXPECT_EQ(row.at("right"), expectations[i].kind == "right");
      EXPECT_TRUE(matches(row.at("complaint"), expectations[i].complaint)) << mistakes[i];
    }
  }
};

TEST_F(Verdicts, OfOtherDigits) {
  expect({{"none", "right", ""},
          {"other_order", "rounding", "*; roundings explain it: another order of the sum*"},
          {"unordered_sum", "rounding", "*; the order of the sum differs between runs"},
          {"nearly", "wrong", "*(off by 1.0e-05 of it)"},
          // It says more than how far the runs are from each other.
          {"race", "race",
           "differs from run to run, a race or memory that is not set: storm 1: position *(off by "
           "*(off by *"}});
  EXPECT_TRUE(contains(judge("other_order").out, "\nright up to rounding in 1 case\n"));
}

TEST_F(Verdicts, OfTolerances) {
  expect({{"nearly", "rounding", "*; within the tolerance"}}, "--tolerance 2e-5");
  expect({{"nearly", "rounding", "*; within the tolerance"}}, "--tolerance '1000 absolute'");
  expect({{"nearly", "wrong", "*"}}, "--tolerance 5e-6");
  expect({{"nearly", "wrong", "*"}}, "--tolerance '1e-4 absolute'");
  expect({{"other_order", "wrong", "*"}}, "--tolerance 0");
}

// A program without roundings takes any of several equal maxima by chance.
TEST_F(Verdicts, OfEqualMaxima) {
  take("ties many_storms");
  const json programs = judged({"any_position", "any_position,other_order"}, "--repeat 8");
  const json by_chance = row(programs[0], "ties");
  EXPECT_EQ(by_chance.at("kind"), "race") << by_chance;
  EXPECT_TRUE(contains(by_chance.at("complaint"),
                       "the layer is right; the search for the maximum is a race"));
  // Where the values are the rule's, no rounding told them apart, whatever other cases show.
  EXPECT_EQ(row(programs[1], "ties").at("kind"), "race");
  const json storms = row(programs[1], "many_storms");
  EXPECT_EQ(storms.at("kind"), "rounding");
  EXPECT_TRUE(ends_with(storms.at("complaint"), "; a race, as in ties"));
  EXPECT_EQ(programs[0].at("looks_like"), json::array());
  done("rm -r cases/many_storms");
  expect({{"larger_position", "rounding", "*position 50 in place of 9, maximum *"},
          {"no_relaxation", "wrong", "*"}},
         "--tolerance 1e-6");
  expect({{"larger_position", "wrong", "*"}});
}

// A crash loses what is still in the buffer of a pipe, and threads have small stacks.
TEST_F(Verdicts, OfRunsThatGoWrong) {
  program("crash", "kill -SEGV $$");
  program("late", "$right \"$@\"; kill -SEGV $$");
  program("small_stack", "[ \"$OMP_STACKSIZE\" ] && exec $right \"$@\"; kill -SEGV $$");
  program("mute", "$right \"$@\" | grep -v Result");
  // After its message it prints a row of dashes.
  program("alone", "printf 'start me with my launcher\\033[2J\\n\\n----------\\n' >&2; exit 13");
  const std::string segmentation = "crashes: Segmentation fault (signal 11)";
  const std::string before = "; it had printed its answer before";
  expect({{"crash", "crash", segmentation},
          {"late", "crash", segmentation + before},
          {"abort_behind", "crash", "crashes: Aborted (signal 6)" + before},
          {"small_stack", "crash",
           segmentation +
               "; with OMP_STACKSIZE=512M it does not: its threads keep arrays on their stacks"},
          {"mute", "no_answer", "it prints no Result: line"},
          {"alone", "no_answer",
           "ends with exit code 13; it says \"start me with my launcher\\?\\[2J\""}},
         "--memory=1e8");
}

TEST_F(Verdicts, OfRunsThatDoNotEnd) {
  done("for i in 1 2 3; do cp -r cases/crowd cases/crowd$i; done");
  const json cases = judged({"hang"}, "--timeout 0.1").at(0).at("cases");
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(cases.at(i).at("kind"), "timeout");
    EXPECT_EQ(cases.at(i).at("complaint"),
              i < 3 ? "has not ended after 0.1 s" : "not run: 3 cases before it took too long");
  }
}

TEST_F(Verdicts, AreOfDigitsAndNotOfTheExitCode) {
  const std::vector<std::string> hints{
      "It ends with exit code 3 although it has an answer.",
      "Its Time: -1 is negative; it does not count.",
      "Its Time: nan is not a number; it does not count.",
      "Its Time: 1000000 is larger than the time of its whole process; it does not count."};
  const json programs =
      judged({"exit_code", "time_negative", "time_nan", "time_too_long"}, "--repeat 2");
  for (std::size_t i = 0; i < hints.size(); ++i) {
    EXPECT_EQ(programs[i].at("kind"), "right");
    EXPECT_EQ(programs[i].at("hints"), json::array({hints[i]}));
    EXPECT_EQ(row(programs[i], "crowd").at("time_seconds").is_null(), i > 0);
  }
}

TEST_F(Verdicts, OfAProgramWithOtherArguments) {
  done("cp -r cases/crowd cases/second");
  program("usage",
          "[ $# = 4 ] || { echo \"usage: $0 THREADS CELLS STORM...\"; exit 1; }; shift; "
          "exec $right \"$@\"");
  program("takes_none", "echo 'Result: 1 2'");
  const json programs = judged({"threads_first", "usage", "takes_none"});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(programs[i].at("kind"), "right");
    EXPECT_EQ(programs[i].at("hints"),
              json::array({"Without an answer to `{program} {cells} {storms}`, it was started as "
                           "`{program} {threads} {cells} {storms}` (--command)."}));
  }
  EXPECT_TRUE(contains(programs[2].at("hints").at(0), "started as `{program} {cells} {storms}`"));
  EXPECT_EQ(row(programs[2], "crowd").at("kind"), "no_answer");
  EXPECT_EQ(row(programs[2], "second").at("complaint"),
            "not run: the first case shows that it takes other arguments");
  expect({{"threads_first", "right", ""}}, "--command '{program} {threads} {cells} {storms}'");
}

TEST_F(Verdicts, OfALineThatLooksLikeTheTime) {
  program("total", "$right \"$@\" | sed 's/Time:/Time total:/'");
  EXPECT_TRUE(matches(judged({"total"}).at(0).at("hints").at(0),
                      "\"Time total: *\" looks like its time but is not: Time: SECONDS is read."));
}

// Where every run prints what the layer has at its position, only the search is a race.
TEST_F(Verdicts, OfASearchThatIsARace) {
  take("random_impacts one_cell");
  const json random = row(judged({"any_peak"}).at(0), "random_impacts");
  EXPECT_EQ(random.at("kind"), "race");
  EXPECT_TRUE(
      contains(random.at("complaint"), "the layer is right; the search for the maximum is"));
  EXPECT_EQ(random.at("looks_like"), json::array());
}

// Shares are lost where threads outnumber the cores: that is not another order of the sum.
TEST_F(Verdicts, OfSharesThatAreLostInACrowd) {
  program("lossy",
          "[ \"${OMP_NUM_THREADS:-1}\" -gt 1 ] && export MISTAKE=race; RUNS=" + path("lossy_runs") +
              " MISTAKE=${MISTAKE:-unordered_sum} exec $right \"$@\"");
  expect({{"lossy", "race", "differs from run to run, a race or memory that is not set: *"}});
}

// One thread takes the first of equal maxima; several take any of them.
TEST_F(Verdicts, OfASearchThatIsARaceOfSeveralThreads) {
  take("ties");
  program("shy", "[ \"${OMP_NUM_THREADS:-1}\" -gt 1 ] && export MISTAKE=any_position; RUNS=" +
                     path("shy_runs") + " exec $right \"$@\"");
  expect({{"shy", "race", "*the layer is right; the search for the maximum is a race*"}});
  expect({{"shy", "right", ""}}, "--threads 1");
  expect({{"shy", "right", ""}}, "--command 'env A=B {program} {cells} {storms}'");
}

// A race can have the digits of another rounding when it goes well.
TEST_F(Verdicts, OfARaceAreNoMistakesOfRoundings) {
  take("ties many_storms");
  program("lossy", "[ $1 = 64 ] && export MISTAKE=race || export MISTAKE=root_in_double; RUNS=" +
                       path("lossy_runs") + " exec $right \"$@\"");
  const Outcome said = judge("lossy");
  EXPECT_FALSE(contains(said.out, "It looks like this")) << said.out;
  EXPECT_TRUE(contains(said.out, "\nIts runs differ in many_storms: threads change the same "));
  EXPECT_FALSE(contains(said.out, "(250 short storms"));
}

// Threads that share a layer. What another order of the sum explains counts as right; what nothing
// protects is a race, in so many storms that the threads do meet.
TEST_F(Verdicts, SlowOfThreads) {
  if (std::string(BOMBARD_OPENMP_PROGRAM).empty()) GTEST_SKIP() << "this compiler lacks OpenMP";
  take("many_storms many_impacts");
  const struct {
    std::string name, variables, of_storms, of_impacts;  ///< the last of races: any verdict
  } rows[] = {{"cells", "SUM=", "right", "right"},
              {"atomic", "SUM=atomic", "rounding", "rounding"},
              {"reduction", "SUM=reduction", "rounding", "rounding"},
              {"unprotected", "SUM=unprotected", "race", "*"},
              {"unprotected_merge", "SUM=unprotected_merge", "race", "*"},
              {"unprotected_maximum", "MAXIMUM=unprotected", "race", "*"}};
  // One thread may have done all the work: then the order is the rule's.
  const auto is_as = [](const std::string& kind, const std::string& expected) {
    return kind == expected || expected == "*" || (kind == "right" && expected == "rounding");
  };
  for (const auto& [name, variables, of_storms, of_impacts] : rows) {
    program(name, "export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2} " + variables + "; exec " +
                      BOMBARD_OPENMP_PROGRAM + " \"$@\"");
    // A race is found in most runs of the judge, not in all of them.
    const int most_times = of_storms == "race" ? 5 : 1;
    json judged_program, in_storms;
    for (int time = 0; time < most_times && (time == 0 || in_storms.at("kind") != of_storms);
         ++time) {
      judged_program = judged({name}, "--repeat 4").at(0);
      in_storms = row(judged_program, "many_storms");
    }
    EXPECT_TRUE(is_as(in_storms.at("kind"), of_storms)) << name << in_storms.at("complaint");
    const json in_impacts = row(judged_program, "many_impacts");
    EXPECT_TRUE(is_as(in_impacts.at("kind"), of_impacts)) << name << in_impacts.at("complaint");
    const bool says_order = contains(in_impacts.at("complaint"), "the order of the sum");
    EXPECT_TRUE(!says_order || of_storms == "rounding") << name << in_impacts.at("complaint");
  }
}

// Layers in parts have four of them. Each mistake is named, alone or with those that cannot be told
// from it, and it is named in each case that is wrong.
TEST_F(Verdicts, SlowNameMistakes) {
  const struct {
    std::string mistakes, name;
    bool passes = false;  ///< it is a rounding, or shows only beyond the assignment's cases
  } named[] = {{"no_negative_shares", "no_negative_shares", true},
               {"no_impacts_outside", "no_impacts_outside", true},
               {"minus_one", "minus_one_without_peak", true},
               {"root_in_double", "root_in_double", true},
               {"relaxation_in_place", "relaxation_in_place"},
               {"no_relaxation", "no_relaxation"},
               {"largest_cell", "largest_cell"},
               {"larger_position", "larger_position"},
               {"plateaus_as_peaks", "plateaus_as_peaks"},
               {"plateau_ends_as_peaks", "plateau_ends_as_peaks"},
               {"relaxed_twice", "relaxed_twice"},
               {"relaxation_not_kept", "relaxation_not_kept"},
               {"position_not_set", "position_not_set"},
               {"minus_ones", "minus_one_without_peak", true},
               {"maximum_minus_one", "minus_one_without_peak", true},
               {"lowest_maximum", "lowest_maximum_without_peak", true},
               {"storm_summed_apart", "storm_summed_apart", true},
               {"one_neighbour", "parts_with_peaks_beside_one_neighbour_4"},
               {"one_not_relaxed", "parts_with_peaks_beside_one_not_relaxed_4"},
               {"layer_not_kept", "layer_not_kept"},
               {"stale_maximum", "stale_maximum"},
               {"position_apart", "position_reduced_apart_4"},
               {"position_not_sent", "position_not_sent_4"},
               {"dropped_remainder", "leftover_cells_dropped_4"},
               {"tree", "equal_maxima_in_a_tree"},
               {"later_half", "parts_with_larger_position_2"},
               {"later_half,no_negative_shares", "parts_with_larger_position_2"},
               {"last_not_relaxed", "parts_with_last_cells_not_relaxed_4"},
               {"one_too_far", "parts_with_other_neighbours_4"},
               {"old_neighbours", "parts_with_old_neighbours_4"},
               {"old_neighbours,other_order", "parts_with_old_neighbours_4"}};
  take(
      "ends ties plateaus storm_order uneven_borders paired_borders no_peak outside "
      "zero_and_negative");
  std::vector<std::string> mistakes;
  for (const auto& [of_program, name, passes] : named) mistakes.push_back(of_program);
  const json programs = judged(mistakes);
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    const auto& [of_program, name, passes] = named[i];
    EXPECT_EQ(programs[i].at("looks_like"), json::array({name})) << of_program;
    EXPECT_EQ(programs[i].at("kind") == "wrong", !passes) << of_program;
    if (of_program != name) continue;
    for (const json& row : programs[i].at("cases")) {
      const auto names = row.at("looks_like").get<std::vector<std::string>>();
      EXPECT_EQ(row.at("right"), std::ranges::find(names, name) == names.end()) << row;
    }
  }
}

// Of two mistakes, the assignment's counts; a case that shows only another one says so.
TEST_F(Verdicts, NameTheMistakeOfACaseBeside) {
  take("ties plateaus storm_order outside zero_and_negative");
  const json program = judged({"later_half,no_negative_shares"}).at(0);
  EXPECT_EQ(program.at("explanation"),
            "It looks like this: the layer is in 2 parts, and of equal maxima in two parts the one "
            "in the later part is taken.\nThat gives its digits in 4 of the 5 cases compared.\n"
            "In zero_and_negative it looks like this: negative shares are not added: the threshold "
            "has two sides.\n");
  for (const json& row : program.at("cases")) {
    const bool is_wrong = row.at("case") == "ties" || row.at("case") == "zero_and_negative";
    EXPECT_EQ(row.at("kind"), is_wrong ? "wrong" : "right") << row;
  }
}

// Where 0 is right, any other maximum is infinitely far off; so is a text that is not a number.
TEST_F(Verdicts, OfNoNumbers) {
  program("nan", "echo 'Result: 0 nan 0 inf'");
  const json crowd = row(json::parse(judge("nan --format json").out).at("programs").at(0), "crowd");
  EXPECT_EQ(crowd.at("kind"), "wrong");
  EXPECT_TRUE(crowd.at("distance").is_null());
  EXPECT_TRUE(contains(judge("nan --format csv").out, ",assignment,inf,,0\r\n"));
}

TEST_F(Verdicts, BesideABaseline) {
  const json crowd = row(judged({"none"}, "--baseline $right").at(0), "crowd");
  EXPECT_GT(crowd.at("sequential_seconds"), 0);
  EXPECT_EQ(crowd.at("sequential_is_estimate"), false);
  program("wrong", "echo 'Result: 7 1.0 7 1.0'");
  expect_refused(2, {{"bombard judge $right --cases cases --baseline ./wrong",
                      "is not right in the case crowd: storm 1 of 2: position "}});
}

// The baseline runs before everything else, and then once after each run of the program, where the
// case shows speed. The least time of all runs counts.
TEST_F(Verdicts, OfSpeedComeFromRunsInTurns) {
  done(
      "rm -r cases/crowd; mkdir cases/speed; (echo 100; yes '7 5' | head -100) "
      ">cases/speed/storm.txt");
  written("cases/speed/case.json", R"({"cells": 250000, "storms": ["storm.txt"]})");
  const auto counts = [this](const std::string& letter, const std::string& times) {
    return "echo " + letter + " >>" + path("turns") + "; $right \"$@\"; set -- " + times +
           "; shift $(($(grep -c " + letter + " " + path("turns") + ") - 1)); echo Time: $1";
  };
  program("baseline", counts("B", "0.008 0.005 0.006 0.007"));
  program("program", counts("P", "0.003 0.001 0.002"));
  const json timed = judged({"program"}, "--repeat 3 --baseline ./baseline").at(0);
  EXPECT_EQ(content("turns"), "B\nP\nB\nP\nB\nP\nB\n");
  const json speed = row(timed, "speed");
  EXPECT_EQ(speed.at("shows_speed"), true);
  EXPECT_EQ(speed.at("run_seconds"), json::array({0.003, 0.001, 0.002}));
  EXPECT_EQ(speed.at("sequential_seconds"), 0.005);
  EXPECT_NEAR(timed.at("speedup").get<double>(), 5, 1e-9);
  written("cases/speed/case.json", R"({"cells": 249999, "storms": ["storm.txt"]})");
  EXPECT_EQ(row(judged({"none"}).at(0), "speed").at("shows_speed"), false);
}

// A launcher can fail by itself, and then no program is at fault.
TEST_F(Verdicts, AreNotOfALauncher) {
  program("launch", "echo 'not enough slots available' >&2; exit 1");
  expect_refused(2, {{"bombard judge $right --cases cases --command "
                      "\"$PWD/launch -n 2 {program} {cells} {storms}\"",
                      "/launch -n 2 true` ends with exit code 1; it says \"not enough slots "
                      "available\"; so no program was judged; Open MPI runs as root, and with more "
                      "processes than there are cores, after `mpirun --allow-run-as-root "
                      "--oversubscribe`"}});
}

// As the published program. Files in shared memory that a program has open belong to other tests.
TEST_F(Verdicts, OfMpiWithoutFinalize) {
  if (std::string(BOMBARD_UNFINISHED_MPI_PROGRAM).empty()) GTEST_SKIP() << "built without MPI";
  if (!set_mpirun()) GTEST_SKIP() << "no launcher of MPI";
  if (contains(shell("$mpirun --version").out, "HYDRA")) {
    GTEST_SKIP() << "MPICH loses what such a program prints";
  }
  done("ls /dev/shm >before");
  const std::string judge_mpi =
      BOMBARD_UNFINISHED_MPI_PROGRAM " --command \"$mpirun -n 2 {program} {cells} {storms}\" ";
  const json program = json::parse(judge(judge_mpi + "--format json").out).at("programs").at(0);
  EXPECT_EQ(row(program, "crowd").at("kind"), "right");
  EXPECT_EQ(program.at("hints"),
            json::array({"MPI_Finalize is missing: Open MPI may lose output."}));
  const Outcome confined = shell("TMPDIR=$PWD/tmp bombard judge --cases cases " + judge_mpi);
  EXPECT_TRUE(matches(confined.out, "*confined*\nright in 1 case\nMPI_Finalize is missing: *"))
      << confined.out << confined.err;
  setenv("MISTAKE", "hang", 1);
  EXPECT_EQ(judge(judge_mpi + "--timeout 1").exit_code, 1);
  unsetenv("MISTAKE");
  EXPECT_EQ(shell("for i in $(seq 100); do left=; for file in $(ls /dev/shm | grep vader_segment | "
                  "grep -vxFf before); do grep -qs $file /proc/[0-9]*/maps || left=$file; done; "
                  "[ -z \"$left\" ] && exit; sleep 0.1; done; echo $left")
                .out,
            "");
}

}  // namespace
}  // namespace bombard::tests
