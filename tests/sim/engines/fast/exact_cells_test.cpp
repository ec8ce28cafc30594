#include "sim/engines/fast/exact_cells.hpp"

#include <gtest/gtest.h>

#include "tests/oracle.hpp"
#include "tests/random_storms.hpp"

namespace bombard {
namespace {

TEST(ExactCells, ThoseThatAreCountedAreTheRules) {
  for (std::uint64_t seed = 1; seed <= cases(50); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::int64_t cells = 100 + below(random, 3000);
    ExactCells exact(cells, {}, 2);
    std::vector<oracle::Storm> storms;
    for (std::int64_t left = 1 + below(random, 3); left > 0; --left) {
      const auto impacts = random_impacts(random, below(random, 2000), -50, cells + 50);
      exact.add_storm(impacts, {}, true, 0.5);
      storms.emplace_back();
      for (const Impact& impact : impacts)
        storms.back().push_back({impact.position, impact.energy});
    }
    const std::vector<float> layer = oracle::bombard(cells, storms).layer;
    const std::int64_t begin = below(random, cells);
    const CellRange range{begin, begin + 1 + below(random, cells - begin)};
    exact.evaluate(exact.plan({range}));
    const std::span<const float> values = exact.values(range);
    ASSERT_EQ(values.size(), static_cast<std::size_t>(range.count()));
    for (std::int64_t k = range.begin; k < range.end; ++k) {
      ASSERT_EQ(values[static_cast<std::size_t>(k - begin)], layer[static_cast<std::size_t>(k)])
          << k;
    }
  }
}

}  // namespace
}  // namespace bombard
