// `bombard judge` as teachers and students use it; a right program is in docs/judging.md.

#include <csignal>

#include "tests/tools/cli/judged_programs.hpp"

namespace bombard::tests {
namespace {

using Judge = JudgeTest;

TEST_F(Judge, SlowARightProgramOfTheFirstEdition) {
  done("bombard judge --edition=1 --keep cases");
  expect("cat cases/one_cell/result.txt", "Result: 0 0.000000 0 0.000000\n");
  done(
      "rm -r "
      "cases/{thresholds,many_*,a_million_cells,as_in_courses,uneven_borders,even_borders,small}");
  const std::string first = " --command 'env EDITION=1 {program} {cells} {storms}'";
  expect_right("$right" + first);
  EXPECT_EQ(judged({"no_threshold"}, first).at(0).at("looks_like").at(0), "no_threshold");
  done("sed -i /edition/d cases/*/case.json; rm cases/*/result.txt");
  const std::string out = judge("$right --edition 2" + first).out;
  EXPECT_TRUE(contains(out, "It looks like this: it computes the rule of the other edition"));
  EXPECT_TRUE(contains(out, "\nThe other edition fits: judge it with --edition 1.\n"));
  for (const char* other : {"Result: 1 1 1 1 1 1\n", "", "Result: 1 2 3 4\n"}) {
    written("cases/ties/result.txt", other);
    expect_refused(2,
                   {{"bombard judge $right --cases cases",
                     "ties/result.txt: is not the right answer for these storms and edition 2"}});
  }
}

TEST_F(Judge, SaysWhatIsWrong) {
  take("ties plateaus storm_order two_cells");
  // In each case, although it is the same in all.
  const std::string again = "    it prints no Result: line\n    (*";
  program("mute", "exec true");
  judged({"larger_position"});
  EXPECT_TRUE(matches(judge("mute").out, "*" + again + again + again));
  EXPECT_TRUE(matches(judge("larger_position").out,
                      "*\n    storm 1 of 3: position 50 in place of 9, maximum *\n    "
                      "(Two peaks are equal: the one at the smaller position is the maximum.)\n*"
                      "\nWRONG in 1 of 3 cases of the assignment\nright in 1 case beyond it\nIt "
                      "looks like this: of equal maxima it takes the one at the larger position.\n"
                      "That gives its digits in 4 of the 4 cases compared.\n"));
}

// Sanitizers, which need /proc, do not run slow tests.
TEST_F(Judge, SlowWithoutProcSaysWhatItDoesNotSee) {
  const std::string alone =
      "unshare --user --map-root-user --mount sh -c 'mount -t tmpfs none /proc";
  if (shell(alone + "'").exit_code != 0) GTEST_SKIP() << "no namespace of its own for mounts";
  for (const char* option : {"", " --no-confinement"}) {
    const Outcome outcome = shell(alone + " && bombard judge $right --cases cases" + option + "'");
    EXPECT_TRUE(contains(outcome.out,
                         "without /proc the memory and the processes it takes are not "
                         "seen\n"))
        << outcome.out << outcome.err;
    EXPECT_EQ(outcome.exit_code, 0);
  }
}

TEST_F(Judge, AClass) {
  done("ln -s $right program; echo no program >rubbish; chmod u+x rubbish");
  const Outcome table = judge("program rubbish");
  EXPECT_EQ(table.exit_code, 1);
  EXPECT_TRUE(matches(table.out,
                      "*    cannot be started: Exec format error\n*\n\n"
                      "answer     wrong      seconds  speedup  program\n"
                      "right          0 *  program\nNO ANSWER      1            -        -  "
                      "rubbish\n"));
  EXPECT_TRUE(
      matches(judge("program rubbish --format=csv").out,
              "program,case,*estimate,group,distance,threads,points\r\n"
              "program,small,2,2000,1,right,,,[0-9]*,[0-9]*,[0-9]*,[0-9]*,false,assignment,0,,100"
              "\r\nrubbish,small,2,2000,1,no_answer,cannot be started: Exec format "
              "error,,,,[0-9]*,[0-9]*,false,assignment,,,0\r\n"));
}

// Ctrl-C, which the terminal sends to the judge alone, because the program has a session of its
// own. Batch systems send SIGKILL to the judge's whole group.
TEST_F(Judge, AJudgeThatIsInterrupted) {
  const std::string runs = "grep -qsa \"$PWD/tmp/[b]ombard-judge-\" /proc/[0-9]*/cmdline";
  for (const auto& [signal, number] : {std::pair("INT $!", SIGINT),
                                       {"TERM $!", SIGTERM},
                                       {"KILL $!", SIGKILL},
                                       {"KILL -- -$!", SIGKILL}}) {
    const Outcome outcome = shell(
        "set -m; TMPDIR=$PWD/tmp bombard judge $right --format gradescope --cases cases --command "
        "'env MISTAKE=hang {program} {cells} {storms}' & until " +
        runs + "; do sleep 0.02; done; kill -" + signal + "; wait $!");
    EXPECT_EQ(outcome.exit_code, 128 + number) << outcome.err;
    // After a judge was killed, the process that watches the program removes everything.
    shell("for i in $(seq 500); do [ -z \"$(ls tmp)\" ] && break; sleep 0.02; done");
    EXPECT_NE(shell(runs).exit_code, 0);  // 2 where another process has ended meanwhile
    EXPECT_EQ(shell("ls tmp").out, "");
  }
}

TEST_F(Judge, WrongUsage) {
  const std::string judge = "bombard judge $right ";
  expect_refused(
      2, {{"bombard judge", "PROGRAM is missing; see `bombard judge --help`"},
          {"bombard judge missing", "missing: there is no such file; give the path of a"},
          {"bombard judge --keep ''", "--keep \"\" names no directory"},
          {"bombard judge ''", "PROGRAM \"\" is not a path"},
          {judge + "--cases=slow",
           "--cases slow: No such file or directory; it is quick, all, or a directory of cases"},
          {"mkdir none; " + judge + "--cases none", "--cases none: holds no case; a case is a"},
          {judge + "--tolerance -1", "is not a number from 0 up"},
          {judge + "--build ''", "--build \"\" is not a command"},
          {judge + "--command '{program} {cells}'", "must have {program}, {cells} and {storms}"},
          {judge + "--command '{program} {cells} {storms} {x}'", "of other words in braces it may"},
          {judge + "--command '{program} x{storms} {cells}'", "the last as words of their own"}});
  for (const std::string points : {"", "1,2,3,4", "0", "70,30,1"}) {
    expect_refused(2, {{judge + "--points '" + points + "'", "is not RIGHT[,SPEED"}});
  }
}

}  // namespace
}  // namespace bombard::tests
