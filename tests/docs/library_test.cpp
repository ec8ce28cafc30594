// The code that docs/library.md quotes, compiled and run. Its headers are those that the library
// installs.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "bombard/ensemble.hpp"
#include "bombard/run.hpp"
#include "bombard/simulation.hpp"
#include "bombard/words.hpp"

namespace {

std::vector<std::string> sample_storms() {
  const std::string storm = BOMBARD_SOURCE_DIR "/inputs/samples/layer_60_storm_";
  return {storm + "1.txt", storm + "2.txt", storm + "3.txt"};
}

TEST(LibraryPage, FilesOfStorms) {
  const std::vector<std::string> files = sample_storms();
  bool enough = false;
  const bombard::RunOptions options{.cells = 60, .storm_paths = files, .peaks = 3};
  std::printf("about %.3g s\n", bombard::plan(options).seconds);
  const auto progress = [](const bombard::Progress& now) {
    std::fprintf(stderr, "%.0f s left\n", now.seconds_left);
  };
  const bombard::SimulationResult result =
      bombard::run(options, {.progress = progress, .stop = [&] { return enough; }});
  for (const bombard::StormResult& storm : result.storms) {
    std::printf("cell %d\n", static_cast<int>(storm.maximum.position));
  }
  EXPECT_EQ(result.storms.at(2).maximum.position, 48);
  EXPECT_EQ(result.storms.at(2).peaks.peaks.size(), 3);
}

TEST(LibraryPage, Settings) {
  using bombard::Device, bombard::Method;
  bombard::SimulationSettings settings{.device = {Device::cuda, 1}, .method = Method::fast};
  settings.device = bombard::parse_device("cpu");
  EXPECT_EQ(bombard::Simulation(1000, settings).plan().cells, 1000);
}

TEST(LibraryPage, Ensembles) {
  const std::vector<bombard::Impact> impacts{{300, 500}, {600, 500}, {10, 700}};
  const std::vector<std::int64_t> storm_starts{0, 2, 3};  // a storm of two impacts, one of one
  const std::vector<std::int64_t> run_starts{0, 1, 2};    // each a run of its own
  const std::vector<bombard::Maximum> maxima =
      bombard::ensemble(1000, {impacts, storm_starts, run_starts});
  EXPECT_EQ(maxima.at(1).position, 10);
}

}  // namespace
