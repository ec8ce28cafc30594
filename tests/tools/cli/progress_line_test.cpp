// Progress on a terminal: a pseudo-terminal stands in for one.

#include <pty.h>

#include <array>
#include <thread>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class ProgressLine : public ProgramTest {
 protected:
  /// Runs with standard error on a terminal and returns what arrives there.
  std::string terminal_of(const std::vector<std::string>& arguments) {
    int terminal = -1;
    int program_end = -1;
    if (openpty(&terminal, &program_end, nullptr, nullptr, nullptr) != 0) return "no terminal";
    std::string seen;
    std::thread reader([&] {
      std::array<char, 4096> buffer;
      // Ends with an error once every other end is closed.
      for (ssize_t count; (count = read(terminal, buffer.data(), buffer.size())) > 0;) {
        seen.append(buffer.data(), static_cast<std::size_t>(count));
      }
    });
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, program_end, 2);
    posix_spawn_file_actions_addclose(&actions, terminal);
    EXPECT_EQ(spawn(BOMBARD_PROGRAM, arguments, &actions), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(program_end);
    reader.join();
    close(terminal);
    return seen;
  }

  /// By its rate, over a second for the reference.
  std::vector<std::string> long_work() {
    bombard({"generate", "--cells=1000000", "--impacts=1100", "--directory", directory.string()});
    return {"run", "1000000", path("layer_1000000_storm_1.txt"), "--engine", "reference"};
  }
};

TEST_F(ProgressLine, IsShownForLongWorkAndWipedAtItsEnd) {
  const std::string seen = terminal_of(long_work());
  EXPECT_TRUE(seen.starts_with("\rstorm 1 of 1, ")) << seen;
  EXPECT_TRUE(seen.ends_with("\r\x1b[K")) << seen;
}

TEST_F(ProgressLine, IsNotShownWhenQuiet) {
  std::vector<std::string> arguments = long_work();
  arguments.push_back("--quiet");
  EXPECT_EQ(terminal_of(arguments), "");
}

TEST_F(ProgressLine, IsNotShownForShortWork) {
  write_file(path("storm.txt"), "1\n2 100\n");
  EXPECT_EQ(terminal_of({"run", "35", path("storm.txt")}), "");
}

}  // namespace
}  // namespace bombard::tests
