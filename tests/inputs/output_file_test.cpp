#include "inputs/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
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

// Like /dev/null: to rename a file over it would replace it.
TEST_F(OutputFileTest, WritesIntoAPipeDirectly) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  {
    OutputFile file(path("pipe"));
    file.write("through");
    file.commit();
  }
  char bytes[16];
  EXPECT_EQ(::read(reader, bytes, sizeof bytes), 7);
  EXPECT_EQ(std::string(bytes, 7), "through");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
  EXPECT_EQ(files(), 1);
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

// A limit on the size of files stands in for a full disk.
TEST_F(OutputFileTest, LeavesNothingWhenTheDiskIsFull) {
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string at_once =
      message_of([&] { OutputFile(path("a")).write(std::string(200000, 'x')); });
  const std::string at_the_end = message_of([&] {
    OutputFile file(path("a"));
    for (int i = 0; i < 2; ++i) file.write(std::string(60000, 'x'));
    file.commit();
  });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(at_once, path("a") + ": cannot be written: File too large");
  EXPECT_EQ(at_the_end, path("a") + ": cannot be written: File too large");
  EXPECT_EQ(files(), 0);
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
