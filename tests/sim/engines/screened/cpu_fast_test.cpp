// When cpu_fast goes direct, and when it counts the cells in question.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "sim/engines/screened/screened.hpp"
#include "tests/sim/engines/generated.hpp"
#include "tests/sim/engines/layer_of.hpp"

namespace bombard {
namespace {

// All the arithmetic is worth it for a storm of one impact, but not for the next one, of a
// thousand.
TEST(CpuFast, BeginsWithTheLayerThatADirectStormLeaves) {
  Bombardment made{100'000, {{"one", {{70'000, 100'000}}}, {"many", {}}}};
  for (std::int64_t i = 0; i < 1000; ++i) {
    made.storms[1].impacts.push_back({1000 + 97 * i, static_cast<std::int32_t>(50 + i % 37)});
  }
  const EngineOptions options = options_for(made);
  ScreenedEngine engine(options, make_stored_layer(options, Precision::binary32),
                        make_exact_layer(options), 0);
  EXPECT_EQ(written(maxima_of(engine, made.storms)), written(by_the_rule(made).peaks));
  EXPECT_TRUE(engine.evidence()[0].direct);
  EXPECT_FALSE(engine.evidence()[1].direct);
}

TEST(CpuFast, SlowCountsTheCellsThatTheLastStormLeavesInQuestion) {
  const Bombardment dense = generated_at_random(100'000, 1, 1'000'000);
  const auto apply = [&](const char* name) {
    const auto engine = find_engine(name)->make(
        {.part = whole_layer(dense.cells), .storms = 1, .keep_layer = false, .threads = 2});
    auto maxima = written(maxima_of(*engine, dense.storms));
    return std::pair(std::move(maxima), engine->evidence());
  };
  const auto [maxima, evidence] = apply("cpu_fast");
  EXPECT_EQ(maxima, apply("cpu_direct").first);
  EXPECT_FALSE(evidence.back().direct);
  EXPECT_GT(evidence.back().candidates, 10'000);
  EXPECT_LT(evidence.back().candidates, 90'000);
}

}  // namespace
}  // namespace bombard
