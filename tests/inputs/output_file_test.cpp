#include "inputs/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "inputs/errors.hpp"

namespace bombard {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "bombard_output_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override {
    std::filesystem::permissions(directory_, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(directory_);
  }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  long files() const { return std::distance(std::filesystem::directory_iterator(directory_), {}); }
  std::string directory_;
};

TEST_F(OutputFileTest, AppearsWholeWhenCommitted) {
  std::string all;
  {
    OutputFile file(path("a"));
    for (int i = 0; i < 300; ++i) {  // pieces smaller and larger than the buffer
      const std::string piece(i % 100 == 99 ? 200000 : i, static_cast<char>('a' + i % 26));
      file.write(piece);
      all += piece;
    }
    EXPECT_FALSE(std::filesystem::exists(path("a")));
    file.commit();
    EXPECT_EQ(content(path("a")), all);
  }
  EXPECT_EQ(content(path("a")), all);
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, LeavesNothingWhenNotCommitted) {
  { OutputFile(path("a")).write(std::string(100000, 'x')); }
  EXPECT_EQ(files(), 0);
}

TEST_F(OutputFileTest, KeepsTheOlderFileUntilCommitted) {
  std::ofstream(path("a")) << "old";
  ::chmod(path("a").c_str(), 0640);
  { OutputFile(path("a")).write("half"); }
  EXPECT_EQ(content(path("a")), "old");
  OutputFile file(path("a"));
  file.write("new");
  EXPECT_EQ(content(path("a")), "old");
  file.commit();
  EXPECT_EQ(content(path("a")), "new");
  EXPECT_EQ(std::filesystem::status(path("a")).permissions(),
            static_cast<std::filesystem::perms>(0640));
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, TwoAtOnceDoNotMeet) {
  OutputFile first(path("a"));
  OutputFile second(path("a"));
  first.write("first");
  second.write("second");
  first.commit();
  EXPECT_EQ(content(path("a")), "first");
  second.commit();
  EXPECT_EQ(content(path("a")), "second");
}

TEST_F(OutputFileTest, ReplacesWhatALinkPointsAt) {
  std::ofstream(path("target")) << "old";
  std::filesystem::create_symlink("target", path("link"));
  OutputFile file(path("link"));
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(content(path("target")), "new");
}

TEST_F(OutputFileTest, WritesIntoADeviceDirectly) {
  OutputFile file("/dev/null");
  file.write("x");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(OutputFileTest, NamesWhatIsWrong) {
  EXPECT_EQ(message_of([] { OutputFile(""); }), "the name of an output file is empty; give a path");
  EXPECT_EQ(message_of([&] { OutputFile{directory_}; }),
            directory_ + ": is a directory; give the name of a file to write");
  EXPECT_EQ(message_of([&] { OutputFile(path("new/")); }),
            path("new/") + ": is a directory; give the name of a file to write");
  EXPECT_EQ(message_of([&] { OutputFile(path("none/a")); }),
            path("none/a") + ": cannot be written: there is no directory \"" + path("none") +
                "\"; create it first");
  std::ofstream(path("file")) << "x";
  EXPECT_EQ(message_of([&] { OutputFile(path("file/a")); }),
            path("file/a") + ": cannot be written: there is no directory \"" + path("file") +
                "\"; create it first");
  EXPECT_EQ(message_of([&] { OutputFile(path(std::string(300, 'n'))); }),
            path(std::string(300, 'n')) + ": cannot be written: File name too long");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, ReportsAFullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  OutputFile file("/dev/full");
  file.write("x");
  EXPECT_EQ(message_of([&] { file.commit(); }),
            "/dev/full: cannot be written: No space left on device");
}

TEST_F(OutputFileTest, RespectsPermissions) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  std::ofstream(path("a")) << "old";
  ::chmod(path("a").c_str(), 0444);
  EXPECT_EQ(message_of([&] { OutputFile(path("a")); }),
            path("a") + ": cannot be written: Permission denied");
  ::chmod(directory_.c_str(), 0555);
  EXPECT_EQ(message_of([&] { OutputFile(path("b")); }),
            path("b") + ": cannot be written: Permission denied");
}

}  // namespace
}  // namespace bombard
