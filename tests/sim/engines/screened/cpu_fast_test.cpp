// When cpu_fast goes direct, and when it counts the cells in question.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "sim/engine_chain.hpp"
#include "tests/sim/engines/generated.hpp"
#include "tests/sim/engines/layer_of.hpp"

namespace bombard {
namespace {

TEST(CpuFast, SlowCountsTheCellsThatTheLastStormLeavesInQuestion) {
  const Bombardment dense = generated_at_random(100'000, 1, 1'000'000);
  const auto apply = [&](const char* name) {
    EngineChain engine(
        *find_engine(name),
        {.part = whole_layer(dense.cells), .storms = 1, .keep_layer = false, .threads = 2});
    auto maxima = written(maxima_of(engine, dense.storms));
    return std::pair(std::move(maxima), engine.evidence());
  };
  const auto [maxima, evidence] = apply("cpu_fast");
  EXPECT_EQ(maxima, apply("cpu_direct").first);
  EXPECT_FALSE(evidence->direct);
  EXPECT_GT(evidence->candidates, 10'000);
  EXPECT_LT(evidence->candidates, 90'000);
}

}  // namespace
}  // namespace bombard
