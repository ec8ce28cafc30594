#include "inputs/storms/storm_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/inputs/small_machine.hpp"
#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

class StormFileTest : public TemporaryDirectory {
 protected:
  /// Makes a named pipe, into which a thread writes a text.
  std::jthread pipe_with(const std::string& text) const {
    std::filesystem::remove(path("pipe"));
    EXPECT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    std::signal(SIGPIPE, SIG_IGN);
    return std::jthread([name = path("pipe"), text] { std::ofstream(name) << text; });
  }
};

TEST_F(StormFileTest, HasWhatWasWrittenInEachFormat) {
  Storm storm;
  std::mt19937_64 random(1);
  for (int i = 0; i < 50000; ++i) {  // several sections
    const int shift = static_cast<int>(random() % 60);
    storm.impacts.push_back({(static_cast<std::int64_t>(random()) >> 2) >> shift,
                             static_cast<std::int32_t>(random()) >> (shift / 2)});
  }
  storm.impacts.push_back({largest_position, 2147483647});
  storm.impacts.push_back({-largest_position, -2147483647 - 1});
  const std::string file = path("any_name");
  for (const std::size_t size : {storm.impacts.size(), std::size_t{1}, std::size_t{0}}) {
    storm.impacts.resize(size);
    for (const StormFormat* const format : storm_formats()) {
      SCOPED_TRACE(format->word);
      write_storm(storm, file, *format);
      EXPECT_EQ(announced_impacts_of_file(file), static_cast<std::int64_t>(size));
      const Storm read = read_storm(file);
      EXPECT_EQ(read.impacts, storm.impacts);
      EXPECT_EQ(read.name, file);
      const std::jthread writer = pipe_with(content("any_name"));
      EXPECT_EQ(read_storm(path("pipe")).impacts, storm.impacts);
    }
  }
}

TEST_F(StormFileTest, RejectsWhatIsNoFile) {
  std::filesystem::create_directory(path("directory"));
  EXPECT_EQ(rejection([&] { read_storm(path("missing.txt")); }),
            "missing.txt: cannot be read: No such file or directory");
  EXPECT_EQ(rejection([&] { read_storm(path("directory")); }),
            "directory: is a directory; give the files in it");
  EXPECT_EQ(rejection([&] { read_storm(""); }),
            "the name of an input file is empty; give a path, or - for standard input");
}

TEST_F(StormFileTest, RejectsAnUnreadableFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const std::string file = written("a.txt", "1 1 1");
  ::chmod(file.c_str(), 0);
  EXPECT_EQ(rejection([&] { read_storm(file); }), "a.txt: cannot be read: Permission denied");
}

TEST_F(StormFileTest, ReadsStandardInput) {
  ASSERT_NE(std::freopen(written("a.txt", "1 5 x").c_str(), "r", stdin), nullptr);
  EXPECT_EQ(rejection([&] { read_storm("-"); }),
            "standard input:1: energy \"x\" is not an integer");
  // A pipe has no size, and may end anywhere.
  const std::jthread writer = pipe_with("2 1 2 3 4");
  ASSERT_NE(std::freopen(path("pipe").c_str(), "r", stdin), nullptr);
  EXPECT_EQ(read_storm("-").impacts, (std::vector<Impact>{{1, 2}, {3, 4}}));
  EXPECT_EQ(rejection([&] { read_storm("-"); }),
            "standard input is empty: it was read before, and can be read only once");
}

TEST_F(StormFileTest, AsksForMemoryBeforeItIsTaken) {
  const std::string file = written("a.txt", "200000\n" + std::string(800'000, '1') + '\n');
  const SmallMachine machine(path("machine"), "2000 kB");
  EXPECT_EQ(refusal([&] { read_storm(file); }),
            "a.txt: a storm of 200000 impacts needs 0.0032 GB of memory");
  const std::jthread writer = pipe_with(std::string(3'000'000, ' '));
  EXPECT_EQ(refusal([&] { read_storm(path("pipe")); }), "pipe needs 0.0021 GB of memory");
}

TEST_F(StormFileTest, AnnouncesItsImpacts) {
  const auto announced = [&](const std::string& content) {
    return announced_impacts_of_file(written("storm.txt", content));
  };
  EXPECT_EQ(announced("2\n1 2\n3 4\n"), 2);
  EXPECT_EQ(announced("\xEF\xBB\xBF \r\n 1 1 2"), 1);
  EXPECT_EQ(announced("0"), 0);
  // No more than the file can hold, and nothing for what is not a storm.
  EXPECT_EQ(announced("9000000000000\n1 2\n"), 5);
  EXPECT_EQ(announced("-3\n"), 0);
  EXPECT_EQ(announced("x"), 0);
  EXPECT_EQ(announced("\x93NUMPY\x01"), 0);
  // Numbers of impacts that must be read to be known.
  EXPECT_EQ(announced(""), std::nullopt);
  for (const std::string file : {"-", "/dev/null", "/dev/zero", "", "missing.txt"}) {
    EXPECT_EQ(announced_impacts_of_file(file), std::nullopt) << file;
  }
}

}  // namespace
}  // namespace bombard
