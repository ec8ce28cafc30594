#include "bombard/ensemble.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bombard/simulation.hpp"
#include "tests/inputs/small_machine.hpp"
#include "tests/random_storms.hpp"
#include "tests/text.hpp"

namespace bombard {
namespace {

class LibraryEnsemble : public testing::Test {
 protected:
  /// Runs of up to so many random storms, of up to so many impacts each, on the layer and beside
  /// it.
  void make_runs(std::int64_t cells, int count, std::int64_t storms, std::int64_t number) {
    impacts.clear();
    storm_starts = run_starts = {0};
    Random random(static_cast<std::uint64_t>(cells));
    for (int run = 0; run < count; ++run) {
      for (std::int64_t left = below(random, storms + 1); left > 0; --left) {
        const auto more =
            random_impacts(random, below(random, number + 1), -cells, 2 * cells, true);
        impacts.insert(impacts.end(), more.begin(), more.end());
        storm_starts.push_back(std::ssize(impacts));
      }
      run_starts.push_back(std::ssize(storm_starts) - 1);
    }
  }

  /// The maxima are those of a simulation for each run.
  void expect_single_runs(std::int64_t cells, const SimulationSettings& settings = {}) const {
    std::vector<Maximum> expected;
    for (std::size_t run = 0; run + 1 < run_starts.size(); ++run) {
      Simulation simulation(cells, settings);
      for (auto storm = static_cast<std::size_t>(run_starts[run]);
           storm < static_cast<std::size_t>(run_starts[run + 1]); ++storm) {
        expected.push_back(simulation.apply(
            {impacts.begin() + storm_starts[storm], impacts.begin() + storm_starts[storm + 1]}));
      }
    }
    EXPECT_EQ(ensemble(cells, {impacts, storm_starts, run_starts}, settings), expected)
        << cells << " cells";
  }

  std::vector<Impact> impacts;
  std::vector<std::int64_t> storm_starts{0}, run_starts{0};
};

TEST_F(LibraryEnsemble, GivesWhatSingleRunsGive) {
  for (const std::int64_t cells : {1, 2, 3, 31, 35, 127, 128, 129, 1000, 1024, 1025, 3073}) {
    make_runs(cells, 50, 4, 60);
    expect_single_runs(cells, {.threads = 3});
    expect_single_runs(cells, {.rule = {.edition = Edition::first, .threshold = 30}});
    expect_single_runs(cells, {.precision = Precision::binary64, .rule = {.attenuation = {1.25}}});
    expect_single_runs(cells, {.precision = Precision::binary64, .threads = 3});
  }
}

TEST_F(LibraryEnsemble, SharesThreadsOutWhenRunsAreFew) {
  make_runs(20'000, 2, 4, 100);
  expect_single_runs(20'000, {.method = Method::fast, .threads = 5});
}

// Each thread may have the longest run, which keeps its layer.
TEST_F(LibraryEnsemble, RefusesWhatAllThreadsTogetherCannotHold) {
  run_starts = {0, 1, 2, 3, 6};
  storm_starts.resize(7, 0);
  const SmallMachine machine(testing::TempDir() + "small_machine", "100000 kB");
  const auto call = [&](int threads) {
    const SimulationSettings settings{.method = Method::direct, .threads = threads};
    ensemble(10'000'000, {impacts, storm_starts, run_starts}, settings);
  };
  EXPECT_TRUE(tests::contains(tests::message_of<CannotRun>([&] { call(2); }), "0.147 GB"));
  EXPECT_THROW(call(-1), InputError);
}

TEST_F(LibraryEnsemble, RefusesAGpu) {
  for (const SimulationSettings& settings :
       {SimulationSettings{.device = Device::cuda}, {.engine = "cuda_fast"}}) {
    const std::string by = settings.engine.empty() ? "device cuda" : "engine cuda_fast";
    const auto call = [&] { ensemble(10, {impacts, storm_starts, run_starts}, settings); };
    EXPECT_TRUE(
        tests::contains(tests::message_of(call), "which " + by + " rules out; leave it out"));
  }
}

TEST_F(LibraryEnsemble, RefusesStartsThatAreNone) {
  impacts = {{0, 1}, {1, 1}};
  using Starts = std::vector<std::int64_t>;
  for (const auto& [storms, runs] : std::vector<std::pair<Starts, Starts>>{
           {{}, {0}}, {{0, 1}, {0, 1}}, {{0, 3, 2}, {0, 2}}, {{0, 2}, {0, 2}}}) {
    EXPECT_THROW(ensemble(10, {impacts, storms, runs}), InputError);
  }
  EXPECT_EQ(ensemble(10, {impacts, Starts{0, 2}, Starts{0, 1}}).size(), 1U);
}

}  // namespace
}  // namespace bombard
