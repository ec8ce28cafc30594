// `bombard` and the subcommands that have no tests of their own, as a user runs them.

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class Subcommands : public ProgramTest {};

TEST_F(Subcommands, Validate) {
  const std::string sample = "bombard validate 60 $samples/layer_60_storm_*.txt ";
  expect(sample + "--engine cpu_direct",
         "60 cells; cpu_direct on *\n    3       10  48 21791.763672   48 21791.763672 *\n");
  expect(sample + "--method=fast --device=cpu --verbose", "60 cells; cpu_fast on *",
         "bombard: engine cpu_fast on *\nbombard: storm 1: 1 candidate, *");
  expect(sample + "--precision=double --device=cpu", "60 cells; cpu_double on *, *e-1[3-9]\n");
  expect_refused(2, {{sample + "bad.txt", "bad.txt: "}});
  expect_refused(3, {{"bombard validate 1e15 $samples/layer_60_storm_1.txt", " GB are free"},
                     {sample + "--device cuda", "GPU"}});
}

TEST_F(Subcommands, GenerateGivesTheSamplesAgain) {
  expect(
      "bombard generate --cells 60 --impacts 10 --storms 3 --seed 7 --energy 10:200 --directory "
      "new/deep",
      "new/deep/layer_60_storm_1.txt\nnew/deep/*_2.txt\nnew/deep/*_3.txt\n");
  expect("for storm in new/deep/*; do cmp $storm $samples/${storm##*/} || exit; done", "");
  expect("bombard generate --cells=5 --impacts=0 --storms=10 --directory in_their_order",
         "*/layer_5_storm_01.txt\n*/layer_5_storm_10.txt\n");
  expect("bombard generate --cells=5 --impacts=0 --format csv", "./layer_5_storm_1.csv\n");
}

TEST_F(Subcommands, GeneratePrintsNamesAsTheyAreButNotOnATerminal) {
  const std::string name = "\x1b[2J\u202E";
  for (const std::string what : {"--cells=5 --impacts=0", "vector --elements=5"}) {
    const std::string command = "bombard generate " + what + " --directory '" + name + "'";
    EXPECT_TRUE(matches(done(command).out, name + "/*"));
    EXPECT_TRUE(terminal_of(STDOUT_FILENO, command).starts_with("\\x1b[2J\\u202e/"));
  }
}

TEST_F(Subcommands, GenerateIsTheSameOnEveryMachine) {
  expect("bombard generate set --matrices 1 --seed 2", "./matrix_set_1.txt\n");
  EXPECT_EQ(content("matrix_set_1.txt"), "1\n***\n-216 -831 685\n114 906 632\n-921 -557 939\n");
}

TEST_F(Subcommands, GenerateRefuses) {
  written("file", "");
  const std::string storm = "bombard generate --cells=5 --impacts=5 ";
  const std::string system = "bombard generate system --rows 3 ";
  expect_refused(2,
                 {{storm + "--energy 5", "--energy \"5\" is not a range; it is LO:HI"},
                  {storm + "--energy 9:5", "LO is above HI; swap them"},
                  {storm + "--energy 1:9999999999", "--energy HI 9999999999 is out of range"},
                  {storm + "--directory file/sub", "cannot be made a directory"},
                  {"bombard generate set --matrices 3 --values 1.5:2", "LO \"1.5\" is not a whole"},
                  {"bombard generate vector --elements 3 --values 0:inf",
                   "--values HI \"inf\" is not a number"},
                  {system + "--others 1 --format npy", "written as mtx only"},
                  {system + "--others 7", "--others 7 is too much: beside the diagonal"}});
}

TEST_F(Subcommands, Devices) {
  expect("bombard devices", "cpu     *: [0-9]* core*, * instructions\nno GPU: *\n");
  expect("bombard devices --verbose",
         "cpu *\n\nengines:\nreference    ?*\ncpu_direct   ?*\n*\ncuda_staged  *");
  if (shell("taskset -c 0 true").exit_code != 0) GTEST_SKIP() << "no taskset here, or no core 0";
  expect("taskset -c 0 bombard devices", "*: 1 core, *");
}

TEST_F(Subcommands, VersionAndHelpAndNoOther) {
  for (const std::string version : {"--version", "-V", "version", "run -V"}) {
    expect("bombard " + version,
           "bombard [0-9]*.[0-9]*.[0-9]*\ncommit    ?*\n"
           "compiler  ?*\nCUDA      ?*\nEigen     ?*\nengines   ?*\n");
  }
  for (const std::string help : {"--help", "help", "help run", "solve -h"}) {
    expect("bombard " + help, "*Usage:\n  bombard *");
  }
  expect_refused(2, {{"bombard simulate", "\"simulate\" is not a subcommand; there are run, "}});
}

}  // namespace
}  // namespace bombard::tests
