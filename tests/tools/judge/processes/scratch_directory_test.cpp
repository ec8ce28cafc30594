#include "tools/judge/processes/scratch_directory.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "tests/inputs/temporary_directory.hpp"
#include "tools/judge/processes/process.hpp"

namespace bombard::judge {
namespace {

class ScratchDirectories : public TemporaryDirectory {
 protected:
  void SetUp() override { ::setenv("TMPDIR", path("").c_str(), 1); }
  void TearDown() override { ::unsetenv("TMPDIR"); }
};

// A program may lock its directories, nest them deeper than a path can be long, and point
// elsewhere.
TEST_F(ScratchDirectories, AreRemovedWhateverIsInThem) {
  const std::string kept = written("kept", "of the user");
  {
    const ScratchDirectory directory;
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::create_symlink(path(""), directory.path() + "/link");
    std::filesystem::current_path(directory.path());
    const std::string deep(250, 'd');
    set_usual_state();  // fewer files may be open than directories are nested
    for (int i = 0; i < 1100; ++i) {
      ASSERT_EQ(::mkdir(deep.c_str(), 0700), 0);
      ASSERT_EQ(::chdir(deep.c_str()), 0);
    }
    std::filesystem::current_path(before);
    std::filesystem::create_directory(directory.path() + "/locked");
    std::ofstream(directory.path() + "/locked/file") << "x";
    std::filesystem::permissions(directory.path() + "/locked", std::filesystem::perms::none);
    std::filesystem::permissions(directory.path(), std::filesystem::perms::none);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("")), {}), 1);
  EXPECT_EQ(content("kept"), "of the user");
}

TEST_F(ScratchDirectories, AreWeighed) {
  const ScratchDirectory outer, directory(outer);
  EXPECT_EQ(directory.root(), outer.path());
  EXPECT_EQ(directory.bytes(), 0);
  std::ofstream(directory.work() + "/large") << std::string(10'000, 'x');
  std::ofstream(directory.work() + "/small") << 'x';
  EXPECT_EQ(directory.bytes(), 10'000 + 4096);
  std::string deep = directory.work();
  for (int i = 0; i < 201; ++i) deep += "/d";
  std::filesystem::create_directories(deep);
  EXPECT_EQ(directory.bytes(), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace bombard::judge
