// Engines of a GPU in several ranks, which are threads that share it, against one process.

#include <cmath>
#include <random>
#include <vector>

#include "sim/ranks/engine_of_ranks.hpp"
#include "tests/gpu.hpp"
#include "tests/sim/engines/layer_of.hpp"
#include "tests/sim/ranks/threads_as_ranks.hpp"

namespace bombard::tests {
namespace {

struct Case {
  std::int64_t cells;
  int ranks;
  std::vector<Storm> storms;
  Rule rule{};
};

Case generated(std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(bound));
  };
  Case made{1 + below(seed % 4 == 0 ? 10 : 9000), static_cast<int>(2 + below(3)), {}};
  // Shares that end: every rank is given every impact then.
  if (seed % 3 == 0) made.rule = {.edition = Edition::first, .threshold = 30};
  const std::int64_t beyond = seed % 5 == 0 ? 10 * made.cells : 10;
  for (std::int64_t storms = 1 + below(3); storms > 0; --storms) {
    Storm storm{"generated", {}};
    for (std::int64_t impacts = below(200); impacts > 0; --impacts) {
      storm.impacts.push_back(
          {below(made.cells + 2 * beyond) - beyond, static_cast<std::int32_t>(1 + below(1000000))});
    }
    made.storms.push_back(storm);
  }
  return made;
}

EngineOptions options_for(const Case& of) {
  return {.part = whole_layer(of.cells),
          .storms = static_cast<std::int64_t>(of.storms.size()),
          .rule = of.rule,
          .threads = 1};
}

class RanksOnGpu : public GpuTest {};

TEST_F(RanksOnGpu, InDoubleGiveTheLayerOfOneProcess) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Case made = generated(seed);
    const auto alone = find_engine("cpu_double")->make(options_for(made));
    const std::vector<Maximum> expected = alone->apply(made.storms);
    const std::vector<double> right = layer_in_double_of(*alone);
    double cuts = 0;
    for (const Storm& storm : made.storms) {
      cuts += 2 * static_cast<double>(storm.impacts.size()) *
              made.rule.smallest_share_in_double(made.cells);
    }
    on_each_rank(made.ranks, [&](Communicator& communicator) {
      EngineOfRanks engine(communicator, *find_engine("cuda_double"), options_for(made));
      const std::vector<Maximum> maxima = engine.apply(made.storms);
      const std::vector<double> layer = layer_in_double_of(engine);
      if (communicator.is_first()) expect_sums(maxima, layer, expected, right, cuts);
    });
    if (HasFailure()) return;
  }
}

TEST_F(RanksOnGpu, InSingleGiveTheDigitsOfOneProcess) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Case made = generated(seed);
    const std::vector<Maximum> expected =
        find_engine("reference")->make(options_for(made))->apply(made.storms);
    for (const char* const name : {"cuda_direct", "cuda_fast"}) {
      on_each_rank(made.ranks, [&](Communicator& communicator) {
        EngineOfRanks engine(communicator, *find_engine(name), options_for(made));
        EXPECT_EQ(engine.apply(made.storms), expected) << name;
      });
    }
  }
}

}  // namespace
}  // namespace bombard::tests
