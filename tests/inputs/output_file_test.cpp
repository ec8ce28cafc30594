#include "inputs/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
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
  OutputFile file(path("a"));
  for (int i = 0; i < 300; ++i) {  // pieces smaller and larger than the buffer
    const std::string piece(i % 100 == 99 ? 200000 : i, static_cast<char>('a' + i % 26));
    file.write(piece);
    all += piece;
  }
  EXPECT_FALSE(std::filesystem::exists(path("a")));
  file.commit();
  EXPECT_EQ(content("a"), all);
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, KeepsTheOlderFileUntilCommitted) {
  written("a", "old");
  ::chmod(path("a").c_str(), 0640);
  { OutputFile(path("a")).write(std::string(100000, 'x')); }
  EXPECT_EQ(content("a"), "old");
  EXPECT_EQ(files(), 1);
  write_whole(path("a"), "new");
  EXPECT_EQ(content("a"), "new");
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
  EXPECT_EQ(content("a"), "first");
  second.commit();
  EXPECT_EQ(content("a"), "second");
}

TEST_F(OutputFileTest, ReplacesOrMakesWhatALinkPointsAt) {
  std::filesystem::create_directory(path("deep"));
  std::filesystem::create_symlink("deep/next", path("link"));
  std::filesystem::create_symlink("../target", path("deep/next"));
  for (const std::string bytes : {"made", "replaced"}) {
    write_whole(path("link"), bytes);
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
    EXPECT_TRUE(std::filesystem::is_symlink(path("deep/next")));
    EXPECT_EQ(content("target"), bytes);
  }
  std::filesystem::create_symlink("round", path("round"));
  EXPECT_EQ(rejected(path("round")), "round: cannot be written: Too many levels of symbolic links");
}

// The new file is ours: the older one's owner did not grant any rights to what we write.
TEST_F(OutputFileTest, DropsSetUserIdAndKeepsTheOwner) {
  written("a", "old");
  constexpr uid_t other = 12345;
  const uid_t owner = ::chown(path("a").c_str(), other, other) == 0 ? other : ::geteuid();
  ::chmod(path("a").c_str(), 06755);
  write_whole(path("a"), "new");
  struct stat status {};
  ASSERT_EQ(::stat(path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0755U);
  EXPECT_EQ(status.st_uid, owner);
}

TEST_F(OutputFileTest, WritesIntoAnOpenFileBehindWhatIsThere) {
  written("log", "before\n");
  const int log = ::open(path("log").c_str(), O_WRONLY | O_APPEND);
  for (const std::string name : {"/dev/fd/", "/proc/self/fd/"}) {
    write_whole(name + std::to_string(log), "result\n");
  }
  EXPECT_EQ(::write(log, "after\n", 6), 6);
  ::close(log);
  EXPECT_EQ(content("log"), "before\nresult\nresult\nafter\n");
  const int reader = ::open(path("log").c_str(), O_RDONLY);
  const std::string name = "/dev/fd/" + std::to_string(reader);
  EXPECT_EQ(rejected(name), name + ": cannot be written: Bad file descriptor");
  ::close(reader);
}

TEST_F(OutputFileTest, RemovesWhatAProgramLeftThatIsNoMore) {
  const std::string left = path(".bombard-99999999.partial");
  const std::string locked = path(".bombard-1.partial");
  std::ofstream{left} << "half";
  std::ofstream{locked} << "half";
  written("other.partial", "not ours");
  const int writer = ::open(locked.c_str(), O_WRONLY);
  ASSERT_EQ(::flock(writer, LOCK_EX), 0);
  { const OutputFile file(path("a")); }
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(locked));
  EXPECT_TRUE(std::filesystem::exists(path("other.partial")));
  ::close(writer);
}

TEST_F(OutputFileTest, RemovesAllPartialFilesWhenASignalComes) {
  const auto write_and_end = [&] {
    OutputFile first(path("a"));
    OutputFile second(path("b"));
    first.write(std::string(100000, 'x'));
    const long written = files();
    remove_partial_files();
    ::_exit(static_cast<int>(written));
  };
  EXPECT_EXIT(write_and_end(), testing::ExitedWithCode(2), "");
  EXPECT_EQ(files(), 0);
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
  const std::string none = ": cannot be written: there is no directory \"";
  const std::string is_directory = ": is a directory; give the name of a file to write";
  const std::string long_name(300, 'n');
  EXPECT_EQ(rejected(""), "the name of an output file is empty; give a path");
  EXPECT_EQ(rejected(path("folder")), "folder" + is_directory);
  EXPECT_EQ(rejected(path("new/")), "new/" + is_directory);
  EXPECT_EQ(rejected(path("none/a")), "none/a" + none + "none\"; create it first");
  EXPECT_EQ(rejected(path("file/a")), "file/a" + none + "file\"; create it first");
  EXPECT_EQ(rejected(path(long_name)), long_name + ": cannot be written: File name too long");
  EXPECT_EQ(files(), 2);
}

// A limit on the size of files stands in for a full disk. The program ignores its signal, too.
TEST_F(OutputFileTest, LeavesNothingWhenTheDiskIsFull) {
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string at_once =
      rejection([&] { OutputFile(path("a")).write(std::string(200000, 'x')); });
  const std::string at_the_end = rejection([&] {
    OutputFile file(path("a"));
    for (int i = 0; i < 2; ++i) file.write(std::string(60000, 'x'));
    file.commit();
  });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(at_once, "a: cannot be written: File too large");
  EXPECT_EQ(at_the_end, "a: cannot be written: File too large");
  EXPECT_EQ(files(), 0);
}

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
