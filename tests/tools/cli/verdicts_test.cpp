// The verdicts of `bombard judge` on programs of every kind: the program of tests/tools/judge/,
// which makes the mistakes that it is told to make, and one for MPI.

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
  /// Programs with these mistakes have these verdicts on a case, the only one unless it is named.
  void expect(const std::vector<Expectation>& expectations, const std::string& options = "",
              const std::string& of = "") {
    std::vector<std::string> mistakes;
    for (const Expectation& expected : expectations) mistakes.push_back(expected.mistakes);
    const json programs = judged(mistakes, options);
    for (std::size_t i = 0; i < expectations.size(); ++i) {
      const json found = of.empty() ? programs.at(i).at("cases").at(0) : row(programs.at(i), of);
      EXPECT_TRUE(matches(found.at("kind"), expectations[i].kind)) << mistakes[i] << found;
      EXPECT_EQ(found.at("right"), found.at("kind") == "right");
      EXPECT_TRUE(matches(found.at("complaint"), expectations[i].complaint)) << mistakes[i];
      if (found.at("kind") == "race") {
        EXPECT_EQ(programs.at(i).at("looks_like"), json::array());
      }
    }
  }
  /// A program with the one mistake where a condition of the shell holds, and the other elsewhere.
  void divided(const std::string& name, const std::string& condition, const std::string& one,
               const std::string& other) {
    program(name, "[ " + condition + " ] && MISTAKE=" + one + " || MISTAKE=" + other +
                      "; export MISTAKE; RUNS=" + path("runs_" + name) + " exec $right \"$@\"");
  }
  static constexpr const char* layer_race = "*a race or memory that is not set*";
  static constexpr const char* search_race =
      "*the layer is right; the search for the maximum is a race*";
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

// tests/tools/judge/comparison_test.cpp has how digits and tolerances decide.
TEST_F(Verdicts, OfTolerances) {
  program("more",
          "$right \"$@\" | awk '/Result/ {for (i = 3; i <= NF; i += 2) $i = "
          "sprintf(\"%.9g\", $i)} 1'");
  expect({{"more", "right", ""}}, "--tolerance 0");
  expect({{"nearly", "rounding", "*; within the tolerance"}}, "--tolerance 2e-5");
  expect({{"nearly", "wrong", "*"}}, "--tolerance '1e-4 absolute'");
}

// Zeros are explained by nothing that the program computes.
TEST_F(Verdicts, OfZeros) {
  take("ties random_impacts no_peak one_cell");
  program("zeros", "shift; printf Result:; for i; do printf ' 0 0.0'; done; echo");
  const json zeros = judged({"zeros"}).at(0);
  EXPECT_EQ(zeros.at("explanation"), "");
  EXPECT_TRUE(contains(zeros.at("hints").at(0), "All its maxima are 0: no storm is computed"));
}

// Where one case shows that sums are lost, no case says that the layer is right.
TEST_F(Verdicts, OfRacesOfTheLayerInAnyCase) {
  take("ties many_storms");
  divided("lossy", "$1 = 64", "race", "any_position");
  for (const char* of : {"ties", "many_storms"}) {
    expect({{"lossy", "race", layer_race}}, "--repeat 4", of);
  }
}

// A program without roundings takes any of several equal maxima by chance.
TEST_F(Verdicts, OfEqualMaxima) {
  take("ties many_storms");
  const json programs = judged({"any_position", "any_position,other_order"}, "--repeat 8");
  EXPECT_TRUE(matches(row(programs[0], "ties").at("complaint"), search_race));
  // Where the values are the rule's, no rounding told them apart, whatever other cases show.
  for (const json& program : programs) EXPECT_EQ(row(program, "ties").at("kind"), "race");
  const json storms = row(programs[1], "many_storms");
  EXPECT_EQ(storms.at("kind"), "rounding");
  EXPECT_TRUE(matches(storms.at("complaint"), "*; a race, as in ties"));
  EXPECT_EQ(programs[0].at("looks_like"), json::array());
  done("rm -r cases/many_storms");
  expect({{"larger_position", "rounding", "*position 50 in place of 9, maximum *"},
          {"no_relaxation", "wrong", "*"}},
         "--tolerance 1e-6");
  expect({{"larger_position", "wrong", "*"}});
}

// A crash loses what is still in the buffer of a pipe.
TEST_F(Verdicts, OfRunsThatGoWrong) {
  program("crash", "kill -SEGV $$");
  program("late", "$right \"$@\"; kill -SEGV $$");
  program("mute", "$right \"$@\" | grep -v Result");
  // After its message it prints a row of dashes.
  program("alone", "printf 'start me with my launcher\\033[2J\\n\\n----------\\n' >&2; exit 13");
  // The line that tells the cause stands among others.
  program("rank",
          "printf '[h:1] *** Process received signal ***\\n[h:1] *** An error occurred in "
          "MPI_Send\\n[h:1] *** MPI_ERR_RANK: invalid rank\\n[h:1] *** End of error message "
          "***\\n' >&2; exit 6");
  program("make",
          "(head -c 4000000 /dev/zero | tr '\\0' x; echo; yes . | head -n 100000) >&2; "
          "printf 'cc x.c\\nsh: 1: cc: not found\\nmake: *** [all] Error 127\\n' >&2; exit 2");
  const std::string segmentation = "crashes: Segmentation fault (signal 11)";
  const std::string before = "; it had printed its answer before";
  expect({{"crash", "crash", segmentation},
          {"late", "crash", segmentation + before},
          {"abort_behind", "crash", "crashes: Aborted (signal 6)"},
          {"mute", "no_answer", "it prints no Result: line"},
          {"rank", "no_answer",
           "ends with exit code 6; it says \"?h:1? \\*\\*\\* MPI_ERR_RANK: invalid rank\""},
          {"make", "no_answer", "ends with exit code 2; it says \"sh: 1: cc: not found\""},
          {"alone", "no_answer",
           "ends with exit code 13; it says \"start me with my launcher?x1b\\[2J\""}},
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
  std::vector<std::string> names{"exit_code"};
  for (const std::string time : {"-1.000000", "nan", "1000000.000000", "0.000000", "0,0001"}) {
    program(names.emplace_back("time_" + time),
            "$right \"$@\" | sed 's/Time: .*/Time: " + time + "/'");
  }
  const json programs = judged(names, "--repeat 2 --points 70,30,2");
  for (std::size_t i = 0; i < programs.size(); ++i) {
    EXPECT_EQ(programs[i].at("kind"), "right");
    EXPECT_TRUE(matches(programs[i].at("hints").at(0).get<std::string>(),
                        i == 0 ? "It ends with exit code 3*" : "Its Time: \"*\" * instead."));
    EXPECT_EQ(row(programs[i], "crowd").at("time_seconds").is_null(), i > 0);
    EXPECT_GT(programs[i].at("speedup"), 0);
  }
  program("total", "$right \"$@\" | sed 's/Time:/Time total:/'");
  EXPECT_TRUE(contains(judged({"total"}).at(0).at("hints").at(0), "\"Time total: "));
}

TEST_F(Verdicts, OfAProgramWithOtherArguments) {
  program("takes_none", "echo 'Result: 1 2'");
  program("threads_first", "shift; exec $right \"$@\"");
  const json programs = judged({"threads_first", "takes_none"});
  for (const json& program : programs) {
    EXPECT_TRUE(
        contains(program.at("hints").at(0),
                 "is started as `{program} {cells} {storms}`; if it takes other arguments"));
  }
  EXPECT_EQ(row(programs[1], "crowd").at("kind"), "no_answer");
  program("crashes", "kill -SEGV $$");  // whatever its arguments
  EXPECT_TRUE(judged({"crashes"}).at(0).at("hints").empty());
}

// Shares that are lost where threads outnumber the cores are not another order of the sum. One
// thread takes the first of equal maxima; several take any of them. Where every run prints what the
// layer has at its position, only the search is a race.
TEST_F(Verdicts, OfRacesOfSeveralThreads) {
  const std::string several = "\"${OMP_NUM_THREADS:-1}\" -gt 1";
  divided("lossy", several, "race", "unordered_sum");
  divided("shy", several, "any_position", "none");
  expect({{"lossy", "race", std::string("differs from run to run, ") + (layer_race + 1)}});
  take("one_cell random_impacts ties");
  done("mv cases/ties .");
  expect({{"any_peak", "race", search_race}}, "", "random_impacts");
  done("rm -r cases/*; mv ties cases");
  expect({{"shy", "race", search_race}});
  expect({{"shy", "right", ""}}, "--threads 1");
  expect({{"shy", "race", "*"}}, "--command 'env A=B {program} {cells} {storms}'");
}

// Threads that share a layer. What another order of the sum explains counts as right; what nothing
// protects is a race, in so many storms that the threads do meet.
TEST_F(Verdicts, SlowOfThreads) {
  if (std::string(BOMBARD_OPENMP_PROGRAM).empty()) GTEST_SKIP() << "this compiler lacks OpenMP";
  take("many_storms many_impacts");
  const struct {
    std::string name, of_storms, of_impacts;  ///< the last of races: any verdict
  } rows[] = {{"cells", "right", "right"},           {"atomic", "rounding", "rounding"},
              {"reduction", "rounding", "rounding"}, {"unprotected", "race", "*"},
              {"unprotected_merge", "race", "*"},    {"unprotected_maximum", "race", "*"}};
  // One thread may have done all the work: then the order is the rule's.
  const auto is_as = [](const std::string& kind, const std::string& expected) {
    return kind == expected || expected == "*" || (kind == "right" && expected == "rounding");
  };
  for (const auto& [name, of_storms, of_impacts] : rows) {
    program(name, "export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2} MISTAKE=" + name + "; exec " +
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

// Where 0 is right, any other maximum is infinitely far off; so is a text that is not a number.
TEST_F(Verdicts, OfNoNumbers) {
  program("nan", "echo 'Result: 0 nan 0 inf'");
  const json crowd = row(json::parse(judge("nan --format json").out).at("programs").at(0), "crowd");
  EXPECT_EQ(crowd.at("kind"), "wrong");
  EXPECT_TRUE(crowd.at("distance").is_null());
  EXPECT_TRUE(contains(judge("nan --format csv").out, ",assignment,inf,,0\r\n"));
}

// The least time of all runs counts.
TEST_F(Verdicts, OfSpeedComeFromAllRuns) {
  done(
      "rm -r cases/crowd; mkdir cases/speed; (echo 100; yes '7 5' | head -100) "
      ">cases/speed/storm.txt");
  written("cases/speed/case.json", R"({"cells": 250000, "storms": ["storm.txt"]})");
  program("program", "echo P >>" + path("turns") +
                         "; $right \"$@\"; set -- 0.003 0.001 0.002; shift $(($(grep -c P " +
                         path("turns") + ") - 1)); echo Time: $1");
  const json timed = judged({"program"}, "--repeat 3").at(0);
  const json speed = row(timed, "speed");
  EXPECT_EQ(speed.at("shows_speed"), true);
  EXPECT_EQ(speed.at("run_seconds"), json::array({0.003, 0.001, 0.002}));
  EXPECT_NEAR(timed.at("speedup").get<double>(),
              speed.at("sequential_seconds").get<double>() / 0.001, 1e-9);
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
  done(
      "ls /dev/shm >before; mkdir mpi; cp $right mpi/sequential_program; "
      "cp " BOMBARD_UNFINISHED_MPI_PROGRAM " mpi/program");
  std::string judge_mpi =
      "mpi/program --command \"$mpirun -n 2 env $mistake {program} {cells} {storms}\" ";
  const json program = json::parse(judge(judge_mpi + "--format json").out).at("programs").at(0);
  EXPECT_EQ(row(program, "crowd").at("kind"), "right");
  EXPECT_EQ(program.at("hints"),
            json::array({"MPI_Finalize is missing: Open MPI may lose output."}));
  const Outcome confined = shell("TMPDIR=$PWD/tmp bombard judge --cases cases " + judge_mpi);
  EXPECT_TRUE(matches(confined.out, "*confined*\nright in 1 case\nMPI_Finalize is missing: *"))
      << confined.out << confined.err;
  EXPECT_EQ(judge("--timeout 1 " + judge_mpi.replace(judge_mpi.find("$mistake"), 8, "MISTAKE=hang"))
                .exit_code,
            1);
  EXPECT_EQ(shell("for i in $(seq 100); do left=; for file in $(ls /dev/shm | grep vader_segment | "
                  "grep -vxFf before); do grep -qs $file /proc/[0-9]*/maps || left=$file; done; "
                  "[ -z \"$left\" ] && exit; sleep 0.1; done; echo $left")
                .out,
            "");
}

}  // namespace
}  // namespace bombard::tests
