// Files that the program writes, when they are not what they seem.

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class OutputFiles : public ProgramTest {
 protected:
  void SetUp() override { done("cp $samples/layer_60_storm_1.txt storm.txt"); }
};

TEST_F(OutputFiles, AreNeverInputs) {
  shell(
      "ln storm.txt hard; ln -s storm.txt soft; mkdir deep; cp storm.txt v.txt; cp storm.txt "
      "w.txt");
  const std::string before = content("storm.txt");
  for (const std::string command :
       {"run 60 storm.txt --output deep/../soft", "run 60 storm.txt --layer hard",
        "run 60 soft --output storm.txt", "run 60 - --output hard < storm.txt",
        "solve jacobi v.txt w.txt --start storm.txt --output hard"}) {
    expect_refused(
        2, {{"bombard " + command, " is read from, and would replace it; give another name"}});
    EXPECT_EQ(content("storm.txt"), before) << command;
  }
  EXPECT_EQ(shell("bombard run 60 /dev/stdin --output /dev/null < storm.txt").exit_code, 0);
}

TEST_F(OutputFiles, AreTwoFiles) {
  shell("mkdir deep; ln -s a.npy to_a.npy; ln -s to_a.npy to_it.npy");
  expect_refused(2, {{"bombard run 60 storm.txt --output x --layer deep/../x",
                      "--output and --layer both name x"},
                     {"bombard run 60 storm.txt --layers a.npy --layer to_it.npy",
                      "--layer and --layers both name to_it.npy; give them two files"}});
}

TEST_F(OutputFiles, OtherNamesOfAnOlderFileAreNoted) {
  shell("echo old > result; ln result other");
  expect("bombard run 60 storm.txt --output result", "",
         "bombard: result has 2 names (hard links); the others will keep what it holds now\n");
  EXPECT_EQ(content("other"), "old\n");
}

}  // namespace
}  // namespace bombard::tests
