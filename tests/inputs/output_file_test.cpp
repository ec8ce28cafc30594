#include "inputs/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

class OutputFileTest : public TemporaryDirectory {
 protected:
  ~OutputFileTest() override {
    std::filesystem::permissions(path(""), std::filesystem::perms::owner_all);
  }
  long files() const { return std::distance(std::filesystem::directory_iterator(path("")), {}); }
  /// The message with which the path is rejected, the directory's name left out.
  std::string rejected(const std::string& path) const {
    return rejection([&] { const OutputFile file(path); });
  }
};

TEST_F(OutputFileTest, AppearsWholeWhenCommitted) {
  std::string all;
  const std::string name(255, 'n');  // the longest there is
  OutputFile file(path(name));
  for (int i = 0; i < 300; ++i) {  // pieces smaller and larger than the buffer
    const std::string piece(i % 100 == 99 ? 200000 : i, static_cast<char>('a' + i % 26));
    file.write(piece);
    all += piece;
  }
  EXPECT_FALSE(std::filesystem::exists(path(name)));
  file.commit();
  EXPECT_EQ(content(name), all);
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, KeepsTheOlderFileUntilCommitted) {
  written("a", "old");
  ::chmod(path("a").c_str(), 0640);
  const uid_t owner = ::geteuid() == 0 ? 1 : ::geteuid();
  ASSERT_EQ(::chown(path("a").c_str(), owner, static_cast<gid_t>(-1)), 0);
  { OutputFile(path("a")).write(std::string(100000, 'x')); }
  EXPECT_EQ(content("a"), "old");
  EXPECT_EQ(files(), 1);
  write_whole(path("a"), "new");
  EXPECT_EQ(content("a"), "new");
  struct stat status {};
  EXPECT_EQ(::stat(path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
  EXPECT_EQ(status.st_uid, owner);
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, TwoAtOnceDoNotMeet) {
  OutputFile first(path("a"));
  OutputFile second(path("a"));
  first.write("first");
  second.write("second");
  first.commit();
  EXPECT_EQ(content("a"), "first");
  second.commit();
  EXPECT_EQ(content("a"), "second");
}

TEST_F(OutputFileTest, ReplacesOrMakesWhatALinkPointsAt) {
  std::filesystem::create_directory(path("deep"));
  std::filesystem::create_symlink("deep/link", path("link"));
  std::filesystem::create_symlink("target", path("deep/link"));
  for (const std::string bytes : {"made", "replaced"}) {
    write_whole(path("link"), bytes);
    EXPECT_TRUE(std::filesystem::is_symlink(path("deep/link")));
    EXPECT_EQ(content("deep/target"), bytes);
  }
  std::filesystem::create_symlink("round", path("round"));
  EXPECT_EQ(rejected(path("round")), "round: cannot be written: Too many levels of symbolic links");
}

// Like /dev/null: renaming a file over it would replace it.
TEST_F(OutputFileTest, WritesIntoAPipeDirectly) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_whole(path("pipe"), "through");
  char bytes[16];
  EXPECT_EQ(::read(reader, bytes, sizeof bytes), 7);
  EXPECT_EQ(std::string(bytes, 7), "through");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, NamesWhatIsWrong) {
  written("file", "x");
  std::filesystem::create_directory(path("folder"));
  const auto none = [](const std::string& directory) {
    return ": cannot be written: no file can be made in \"" + directory +
           "\"; create this directory first, or write into another one";
  };
  const std::string is_directory = ": is a directory; give the name of a file to write";
  const std::string long_name(300, 'n');
  EXPECT_EQ(rejected(""), "the name of an output file is empty; give a path");
  EXPECT_EQ(rejected(path("folder")), "folder" + is_directory);
  EXPECT_EQ(rejected(path("new/")), "new/" + is_directory);
  EXPECT_EQ(rejected(path("none/a")), "none/a" + none("none"));
  EXPECT_EQ(rejected(path("file/a")), "file/a" + none("file"));
  EXPECT_EQ(rejected(path(long_name)), long_name + ": cannot be written: File name too long");
  EXPECT_EQ(files(), 2);
}

// tests/tools/cli/faults_test.cpp has full disks.
TEST_F(OutputFileTest, RespectsPermissions) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  written("a", "old");
  ::chmod(path("a").c_str(), 0444);
  EXPECT_EQ(rejected(path("a")), "a: cannot be written: Permission denied");
  ::chmod(path("").c_str(), 0555);
  EXPECT_EQ(rejected(path("b")), "b: cannot be written: Permission denied");
}

}  // namespace
}  // namespace bombard
