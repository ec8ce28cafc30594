#include "sim/engines/costs.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "sim/engines/direct/cpu_direct.hpp"
#include "sim/engines/engines.hpp"

namespace bombard {
namespace {

TEST(Costs, WithoutALayerItsSizeMattersOnlyWhereNeighbourhoodsCoverIt) {
  const EngineEntry& sparse = *find_engine("cpu_sparse");
  const auto seconds = [&](const Workload& workload) { return sparse.seconds(workload, {}); };
  EXPECT_NEAR(seconds({1'000'000'000'000, 1000, 4}) / seconds({1'000'000, 1000, 4}), 1, 0.01);
  EXPECT_GT(seconds({20'000, 1000, 4}), find_engine("cpu_fast")->seconds({20'000, 1000, 4}, {}));
}

// Twice the speed takes half the time, and more threads are no use to the reference.
TEST(Costs, SecondsGrowWithEverythingButTheSpeed) {
  const ProcessorSpeed one{1, 1, 1}, twice{2, 2, 2}, two_threads{2, 2, 1};
  for (const EngineEntry& engine : engines()) {
    SCOPED_TRACE(engine.name);
    const auto seconds = [&](const Workload& workload, const ProcessorSpeed& speed = {}) {
      return engine.seconds(workload, speed);
    };
    EXPECT_GT(seconds({1000, 100, 2}), 0);
    EXPECT_GT(seconds({1200, 100, 2}), seconds({1000, 100, 2}));
    EXPECT_GT(seconds({1000, 200, 2}), seconds({1000, 100, 2}));
    EXPECT_GT(seconds({1000, 100, 3}), seconds({1000, 100, 2}));
    const Workload large{1'000'000, 5000, 4};
    EXPECT_DOUBLE_EQ(seconds(large, twice), seconds(large, one) / (engine.on_device ? 1 : 2));
    const bool one_thread = engine.on_device || engine.name == std::string_view("reference");
    EXPECT_DOUBLE_EQ(seconds(large, two_threads), seconds(large, one) / (one_thread ? 1 : 2));
  }
  const ProcessorSpeed by_one = processor_speed(1), by_many = processor_speed(64);
  EXPECT_EQ(by_many.interactions, 64 * by_one.interactions);
  EXPECT_GT(by_many.passes, by_one.passes);
  EXPECT_LT(by_many.passes, 64 * by_one.passes);
}

// It makes its passes even where all the arithmetic takes less.
TEST(Costs, AFastEngineIsPlannedAsItWorks) {
  const Workload one_impact{100'000'000, 1, 1};
  EXPECT_GT(find_engine("cpu_fast")->seconds(one_impact, {}),
            2 * find_engine("cpu_direct")->seconds(one_impact, {}));
}

TEST(TimeOfCounting, PaysForManyImpactsOnManyCells) {
  EXPECT_LT(time_of_counting(1e6, 1e6, 0), 0.12);
  EXPECT_LT(time_of_counting(1e7, 5e5, 0), 0.12);
  EXPECT_GT(time_of_counting(3e4, 2e4, 0), 0.9);
  EXPECT_GT(time_of_counting(1e3, 1e6, 0), 0.9);
  // Of a storm it knows the signs.
  Storm storm{"dense", {}};
  for (std::int64_t i = 0; i < 1'000'000; ++i) storm.impacts.push_back({i, 500});
  const auto time = [&] { return time_of_counting({storm.impacts}, 1'000'000, 0); };
  EXPECT_LT(time(), 0.12);
  for (std::size_t i = 0; i < storm.impacts.size(); i += 2) storm.impacts[i].energy = -500;
  EXPECT_EQ(time(), 1);
}

}  // namespace
}  // namespace bombard
