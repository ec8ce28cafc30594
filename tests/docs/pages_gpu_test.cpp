// The commands of the tour and of usage.md that need a GPU run there.

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "tests/gpu.hpp"
#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class PagesOnGpu : public ProgramTest {
 protected:
  void SetUp() override {
    unsetenv("CUDA_VISIBLE_DEVICES");
    require_gpu();
  }
};

TEST_F(PagesOnGpu, TheCommandsRun) {
  std::filesystem::create_directory_symlink(BOMBARD_SOURCE_DIR "/inputs", path("inputs"));
  std::filesystem::create_directory(path("build"));
  std::filesystem::create_symlink(BOMBARD_PROGRAM, path("build/bombard"));
  done("build/bombard generate --cells 1000000 --impacts 5000 --storms 4 --directory storms");
  int commands = 0;
  for (const std::string name : {"tour.md", "usage.md"}) {
    for (const std::string& line : lines_of(content_of(BOMBARD_SOURCE_DIR "/docs/" + name))) {
      if (!line.starts_with("    build/bombard ") || !contains(line, "cuda")) continue;
      done(line);
      ++commands;
    }
  }
  EXPECT_EQ(commands, 3);
}

}  // namespace
}  // namespace bombard::tests
