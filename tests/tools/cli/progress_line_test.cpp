// Progress on a terminal: a pseudo-terminal stands in for one.

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class ProgressLine : public ProgramTest {};

TEST_F(ProgressLine, IsShownForLongWorkAndWipedAtItsEnd) {
  done("bombard generate --cells=1000000 --impacts=1100");
  // By its rate, over a second for the reference.
  const std::string long_work = "bombard run 1000000 layer*.txt --engine reference";
  EXPECT_TRUE(matches(terminal_of(STDERR_FILENO, long_work), "\rstorm 1 of 1, *\r\x1b\\[K"));
  EXPECT_EQ(terminal_of(STDERR_FILENO, long_work + " --quiet"), "");
  EXPECT_EQ(terminal_of(STDERR_FILENO, "bombard run 60 $samples/layer_60_storm_1.txt"), "");
}

}  // namespace
}  // namespace bombard::tests
