#include "sim/storm_stream.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "bombard/errors.hpp"
#include "inputs/storms/storm_file.hpp"
#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

class StormStreamTest : public TemporaryDirectory {
 protected:
  /// Files with these numbers of impacts.
  std::vector<std::string> files(const std::vector<std::int64_t>& impacts) {
    std::vector<std::string> paths;
    for (const std::int64_t count : impacts) {
      paths.push_back(path("storm_" + std::to_string(paths.size()) + ".txt"));
      Storm storm{"", {}};
      for (std::int64_t i = 0; i < count; ++i) storm.impacts.push_back({i, 7});
      write_storm(storm, paths.back());
    }
    return paths;
  }
};

TEST_F(StormStreamTest, GivesTheStormsInOrder) {
  const std::vector<std::int64_t> impacts{3, 0, 5, 1};
  const auto paths = files(impacts);
  StormStream stream(paths);
  EXPECT_EQ(stream.storms(), 4);
  EXPECT_EQ(stream.impacts(), 9);
  EXPECT_EQ(stream.largest(), 5);
  for (std::size_t i = 0; i < 4; ++i) {
    const Storm storm = stream.take();
    EXPECT_EQ(storm.name, paths[i]);
    EXPECT_EQ(std::ssize(storm.impacts), impacts[i]);
  }
}

TEST_F(StormStreamTest, ReadsNoFartherAheadThanItMay) {
  constexpr std::int64_t storms = 60;
  const auto paths = files(std::vector<std::int64_t>(storms, 10));
  std::atomic<std::int64_t> read = 0;
  StormStream stream(paths, 45, [&](const std::string& path) {
    ++read;
    return read_storm(path);
  });
  stream.begin();
  for (std::int64_t taken = 0; taken < storms; ++taken) {
    const std::int64_t most = std::min(taken + 4, storms);
    while (read < most) std::this_thread::yield();
    if (taken < 5) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(read, most);
    EXPECT_EQ(stream.take().impacts.size(), 10U);
  }
}

TEST_F(StormStreamTest, AStormLargerThanTheBoundIsReadWhenItIsWaitedFor) {
  std::atomic<int> read = 0;
  StormStream stream(files({50, 2, 60}), 10, [&](const std::string& path) {
    ++read;
    return read_storm(path);
  });
  EXPECT_EQ(stream.take().impacts.size(), 50U);
  EXPECT_EQ(stream.take().impacts.size(), 2U);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(read, 2);
  EXPECT_EQ(stream.take().impacts.size(), 60U);
}

TEST_F(StormStreamTest, StormsBeforeAnErrorCanBeTaken) {
  const auto paths = files({1, 1, 1, 1});
  written("storm_2.txt", "1\n2 x\n");
  StormStream stream(paths);
  stream.take();
  stream.take();
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(rejection([&] { stream.take(); }), "storm_2.txt:2: energy \"x\" is not an integer");
  }
}

TEST_F(StormStreamTest, WhatCannotBeOpenedIsFoundFirst) {
  auto paths = files({1});
  paths.push_back(path("missing.txt"));
  EXPECT_THROW(StormStream{paths}, InputError);
  EXPECT_THROW((StormStream{{"-", "-"}}), InputError);
}

TEST_F(StormStreamTest, EndsWithStormsLeft) {
  const auto paths = files(std::vector<std::int64_t>(20, 10));
  StormStream stream(paths, 10);
  stream.take();
}

}  // namespace
}  // namespace bombard
