// Progress on a terminal: a pseudo-terminal stands in for one.

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class ProgressLine : public ProgramTest {
 protected:
  /// By its rate, over a second for the reference.
  std::vector<std::string> long_work() {
    bombard({"generate", "--cells=1000000", "--impacts=1100", "--directory", directory.string()});
    return {"run", "1000000", path("layer_1000000_storm_1.txt"), "--engine", "reference"};
  }
};

TEST_F(ProgressLine, IsShownForLongWorkAndWipedAtItsEnd) {
  const std::string seen = terminal_of(STDERR_FILENO, long_work());
  EXPECT_TRUE(seen.starts_with("\rstorm 1 of 1, ")) << seen;
  EXPECT_TRUE(seen.ends_with("\r\x1b[K")) << seen;
}

TEST_F(ProgressLine, IsNotShownWhenQuiet) {
  std::vector<std::string> arguments = long_work();
  arguments.push_back("--quiet");
  EXPECT_EQ(terminal_of(STDERR_FILENO, arguments), "");
}

TEST_F(ProgressLine, IsNotShownForShortWork) {
  write_file(path("storm.txt"), "1\n2 100\n");
  EXPECT_EQ(terminal_of(STDERR_FILENO, {"run", "35", path("storm.txt")}), "");
}

}  // namespace
}  // namespace bombard::tests
