// When cpu_fast goes direct, and when it counts the cells in question.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "sim/engine_chain.hpp"
#include "tests/inputs/small_machine.hpp"
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

TEST(CpuFast, GivesUpWithoutMemoryForUncertainties) {
  const auto engine =
      find_engine("cpu_fast")->make({.part = whole_layer(1'000'000), .storms = 1, .threads = 1});
  const SmallMachine machine(testing::TempDir() + "small_machine", "2000 kB");
  EXPECT_THROW(engine->apply({std::vector<Impact>{{5, -1000}, {6, 2000}}}), GaveUp);
}

/// Storms of `impacts` impacts each, of which one makes the only candidate.
Bombardment with_one_candidate(std::int64_t cells, std::int64_t storms, std::int64_t impacts) {
  Bombardment made = generated_at_random(cells, storms, impacts);
  for (Storm& storm : made.storms) storm.impacts.front() = {cells / 2, 2'000'000'000};
  return made;
}

/// After how many of the storms it gives up; then it is as new.
std::int64_t screened_storms(EngineChain& engine, const std::vector<Storm>& storms) {
  std::int64_t screened = 0;
  for (const Storm& storm : storms) {
    engine.apply({storm.impacts});
    screened += !engine.evidence()->direct;
  }
  engine.reset();
  return screened;
}

// A candidate goes down through all storms so far, so that the costs of all candidates grow with
// the square of the number of storms.
TEST(CpuFast, CandidatesOfAllStormsCostLessThanAllTheArithmetic) {
  const auto count = [](std::int64_t cells, std::int64_t number, std::int64_t impacts) {
    const Bombardment made = with_one_candidate(cells, number, impacts);
    EngineChain engine(*find_engine("cpu_fast"), options_for(made));
    const std::int64_t screened = screened_storms(engine, made.storms);
    EXPECT_EQ(screened_storms(engine, made.storms), screened);
    // As often as one likes, for fewer.
    const std::vector<Storm> fewer(made.storms.begin(), made.storms.begin() + screened * 3 / 4);
    for (int again = 0; again < 3; ++again) {
      EXPECT_EQ(screened_storms(engine, fewer), std::ssize(fewer));
    }
    return screened;
  };
  const std::int64_t screened = count(1000, 60, 500);
  EXPECT_GT(screened, 10);
  EXPECT_LT(screened, 60);
  EXPECT_EQ(count(20'000, 40, 2000), 40);  // much more arithmetic for no more candidates
}

}  // namespace
}  // namespace bombard
