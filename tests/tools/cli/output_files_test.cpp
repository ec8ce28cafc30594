// The fate of files that the program writes, when it is stopped, when there is no room, and when
// they are something else than they seem.

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class OutputFiles : public ProgramTest {
 protected:
  void SetUp() override { done("cp $samples/layer_60_storm_1.txt storm.txt"); }
  /// Sends a signal in the middle of a long write over an older file.
  Outcome interrupt(const std::string& signal) {
    written("vector_20000000.txt", "old");
    return shell(
        "env --default-signal bombard generate vector --elements 20000000 --format text &\n"
        "while ! ls .bombard-*.partial >/dev/null 2>&1; do sleep 0.01; done; sleep 0.05\n"
        "kill -" +
        signal + " $!; wait $!");
  }
  std::string names() { return shell("ls -A | grep -v -e storm -e old_").out; }
};

TEST_F(OutputFiles, AreWholeOrOldWhenASignalComes) {
  const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGABRT};
  for (const int signal : signals) {
    EXPECT_EQ(interrupt(std::to_string(signal)).exit_code, 128 + signal);
    EXPECT_EQ(names(), "vector_20000000.txt\n") << signal;
    EXPECT_EQ(content("vector_20000000.txt"), "old");
  }
}

TEST_F(OutputFiles, ASignalThatWasIgnoredStaysSo) {
  const Outcome outcome = shell(
      "trap '' HUP; bombard generate vector --elements 2000000 --format text &\n"
      "while ! ls .bombard-*.partial >/dev/null 2>&1; do sleep 0.01; done\n"
      "kill -HUP $!; wait $!");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "./vector_2000000.txt\n");
}

TEST_F(OutputFiles, AreNeverInputs) {
  shell(
      "ln storm.txt hard; ln -s storm.txt soft; mkdir deep; cp storm.txt v.txt; cp storm.txt "
      "w.txt");
  const std::string before = content("storm.txt");
  for (const std::string command :
       {"run 60 storm.txt --output storm.txt", "run 60 storm.txt --output deep/../soft",
        "run 60 storm.txt --layer hard", "run 60 soft --output storm.txt",
        "run 60 - --output hard < storm.txt", "solve sort storm.txt --output soft",
        "solve jacobi v.txt w.txt --start storm.txt --output hard"}) {
    const Outcome outcome = shell("bombard " + command);
    EXPECT_EQ(outcome.exit_code, 2) << command;
    EXPECT_TRUE(contains(outcome.err, " is read from, and would replace it; give another name"));
    EXPECT_EQ(content("storm.txt"), before) << command;
  }
  EXPECT_TRUE(contains(shell("bombard run 60 v.txt --output x --layer deep/../x").err,
                       "--output and --layer both name x"));
  EXPECT_EQ(shell("bombard run 60 /dev/stdin --output /dev/null < storm.txt").exit_code, 0);
}

TEST_F(OutputFiles, AreNotTheSameByALink) {
  shell("ln -s a.npy to_a.npy; ln -s to_a.npy to_it.npy");
  expect_refused(2, {{"bombard run 60 storm.txt --layers a.npy --layer to_it.npy",
                      "--layer and --layers both name to_it.npy; give them two files"}});
}

TEST_F(OutputFiles, AMinusIsStandardOutput) {
  expect("bombard run 60 storm.txt --format result --output -",
         "\nTime: *\nResult: 42 6261.730469\n");
  expect("seq 3 | bombard solve sort - --output - --descending", "3\n2\n1\n", "*");
  done("bombard study sort --sizes 100 --device cpu --output -");
  EXPECT_FALSE(std::filesystem::exists(path("-")));
}

TEST_F(OutputFiles, OtherNamesOfAnOlderFileAreNoted) {
  shell("echo old > result; ln result other");
  const Outcome outcome = shell("bombard run 60 storm.txt --output result");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err,
            "bombard: result has 2 names (hard links); the others will keep what it holds now\n");
  EXPECT_EQ(content("other"), "old\n");
}

}  // namespace
}  // namespace bombard::tests
