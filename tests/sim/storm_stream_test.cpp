#include "sim/storm_stream.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
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
  EXPECT_EQ(std::vector(stream.left().begin(), stream.left().end()), impacts);
  std::vector<Storm> storms = stream.take(1);
  std::ranges::move(stream.take(3), std::back_inserter(storms));
  EXPECT_TRUE(stream.left().empty());
  ASSERT_EQ(storms.size(), 4U);
  for (std::size_t i = 0; i < storms.size(); ++i) {
    EXPECT_EQ(storms[i].name, paths[i]);
    EXPECT_EQ(std::ssize(storms[i].impacts), impacts[i]);
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
  stream.wait_for(0);  // the reading begins
  for (std::int64_t i = 0; i < storms; ++i) {
    // Two storms of 10 impacts, read together, fit into half of 45, and two others wait.
    const std::int64_t most = std::min(i / 2 * 2 + 4, storms);
    EXPECT_EQ(stream.take(1).front().impacts.size(), 10U);
    while (read < most) std::this_thread::yield();
    if (i < 5) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(read, most);
  }
}

TEST_F(StormStreamTest, AStormLargerThanTheBoundComesAllTheSame) {
  StormStream stream(files({50, 2, 60}), 10);
  EXPECT_EQ(stream.take(1).front().impacts.size(), 50U);
  EXPECT_EQ(stream.take(2).back().impacts.size(), 60U);
}

TEST_F(StormStreamTest, StormsBeforeAnErrorCanBeTaken) {
  const auto paths = files({1, 1, 1, 1});
  written("storm_2.txt", "1\n2 x\n");
  StormStream stream(paths);
  EXPECT_EQ(stream.ready(4), 2U);
  const std::string error = "storm_2.txt:2: energy \"x\" is not an integer";
  EXPECT_EQ(rejection([&] { stream.wait_for(1); }), error);
  EXPECT_EQ(rejection([&] { stream.take(3); }), error);
  EXPECT_EQ(stream.take(2).size(), 2U);
  EXPECT_EQ(rejection([&] { stream.ready(1); }), error);
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
  stream.take(2);
}

}  // namespace
}  // namespace bombard
