#include "tools/judge/processes/run_directory.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/inputs/temporary_directory.hpp"

namespace bombard::judge {
namespace {

class RunDirectories : public TemporaryDirectory {
 protected:
  void SetUp() override { ::setenv("TMPDIR", path("").c_str(), 1); }
  void TearDown() override { ::unsetenv("TMPDIR"); }
};

// A program may lock its directories, nest them deeper than a path can be long, and point
// elsewhere.
TEST_F(RunDirectories, AreRemovedWhateverIsInThem) {
  const std::string kept = written("kept", "of the user");
  {
    const ScratchDirectory directory;
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::create_symlink(path(""), directory.path() + "/link");
    std::filesystem::current_path(directory.path());
    const std::string deep(250, 'd');
    for (int i = 0; i < 300; ++i) {
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

TEST_F(RunDirectories, NeedAPlace) {
  ::setenv("TMPDIR", path("missing").c_str(), 1);
  EXPECT_NE(rejection([&] { const ScratchDirectory directory; }).find("name another one in "),
            std::string::npos);
}

TEST_F(RunDirectories, AreWeighed) {
  const auto bytes = [&](std::int64_t enough) { return bytes_below(path(""), enough); };
  EXPECT_EQ(bytes(1 << 20), 0);
  written("large", std::string(10'000, 'x'));
  written("small", "x");
  EXPECT_EQ(bytes(1 << 20), 10'000 + 4096);
  for (int i = 0; i < 20; ++i) written(std::to_string(i), "");
  EXPECT_LT(bytes(8192), 8192 + 10'000);  // it stops where it is enough
}

}  // namespace
}  // namespace bombard::judge
