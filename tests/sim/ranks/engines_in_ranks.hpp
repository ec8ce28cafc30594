// One process, with which engines in several ranks are compared; ranks are threads here.

#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sim/engines/engines.hpp"
#include "sim/ranks/engine_of_ranks.hpp"
#include "sim/ranks/slab.hpp"
#include "tests/sim/engines/layer_of.hpp"
#include "tests/sim/ranks/threads_as_ranks.hpp"

namespace bombard::tests {

struct Case {
  std::int64_t cells;
  int ranks;
  std::vector<Storm> storms;
  Rule rule{};
};

/// Impacts anywhere, outside the layer, and on and beside the borders of slabs.
inline Case generated(std::uint64_t seed, std::int64_t most_cells = 3000) {
  std::mt19937_64 bits(seed);
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(bound));
  };
  Case made{1 + below(seed % 4 == 0 ? 10 : most_cells), static_cast<int>(2 + below(6)), {}};
  for (std::int64_t storms = 1 + below(4); storms > 0; --storms) {
    Storm storm{"generated", {}};
    for (std::int64_t impacts = below(80); impacts > 0; --impacts) {
      const CellRange slab =
          slab_of_rank(static_cast<int>(below(made.ranks)), made.ranks, made.cells);
      const std::int64_t position =
          below(3) == 0 ? slab.end + below(5) - 2 : below(made.cells + 20) - 10;
      const std::int64_t energy = below(9) == 0 ? -below(900) : below(1000000);
      storm.impacts.push_back({position, static_cast<std::int32_t>(energy)});
    }
    made.storms.push_back(storm);
  }
  return made;
}

inline EngineOptions options_for(const Case& of) {
  return {.part = whole_layer(of.cells),
          .storms = static_cast<std::int64_t>(of.storms.size()),
          .rule = of.rule,
          .threads = 1};
}

/// One storm at a time, or all together.
inline std::vector<Maximum> applied(EngineOfRanks& engine, const std::vector<Storm>& storms,
                                    bool together = true) {
  if (together) return engine.apply(storms, std::ssize(storms));
  std::vector<Maximum> maxima;
  for (const Storm& storm : storms) maxima.push_back(engine.apply({&storm, 1}, 1).at(0));
  return maxima;
}

/// The maxima of the reference, and its layer, within what the engine says of its own.
inline void expect_digits_of_one_process(const char* name, const Case& made, bool together) {
  const auto alone = find_engine("reference")->make(options_for(made));
  const std::vector<Maximum> expected = alone->apply(made.storms);
  on_each_rank(made.ranks, [&](Communicator& communicator) {
    EngineOfRanks engine(communicator, *find_engine(name), options_for(made));
    EXPECT_EQ(applied(engine, made.storms, together), expected);
    const auto layer = std::get<std::vector<float>>(engine.layer());
    const std::vector<float> right = layer_of(*alone);
    const std::vector<float> uncertainty = engine.layer_uncertainty();
    ASSERT_EQ(layer.size(), communicator.is_first() ? right.size() : 0);
    for (std::size_t k = 0; k < layer.size(); ++k) {
      ASSERT_LE(std::abs(layer[k] - right[k]), uncertainty.empty() ? 0 : uncertainty[k]) << k;
    }
  });
}

/// Maxima and layer of cpu_double, within their error. Some of the cases have shares that end, some
/// impacts far outside, for which the exponential sum is a longer one.
inline void expect_sums_of_one_process(const char* name, Case made, std::uint64_t seed) {
  constexpr double error = 5e-12;
  if (seed % 3 == 0) made.rule = {.edition = Edition::first, .threshold = 30};
  double cuts = 0;  // the shares that the first cells beyond all reaches would have had
  for (Storm& storm : made.storms) {
    for (std::size_t i = 0; i < storm.impacts.size(); ++i) {
      Impact& impact = storm.impacts[i];
      // So that a share's magnitude is its value.
      impact.energy = std::abs(impact.energy) + 1;
      if (seed % 5 == 0 && i % 7 == 0) impact.position *= 40;
      cuts += 2 * made.rule.smallest_share_in_double(made.cells);
    }
  }
  const auto alone = find_engine("cpu_double")->make(options_for(made));
  const std::vector<Maximum> expected = alone->apply(made.storms);
  const std::vector<double> right = layer_in_double_of(*alone);
  on_each_rank(made.ranks, [&](Communicator& communicator) {
    EngineOfRanks engine(communicator, *find_engine(name), options_for(made));
    const std::vector<Maximum> maxima = applied(engine, made.storms, seed % 2 == 0);
    const auto layer = std::get<std::vector<double>>(engine.layer());
    ASSERT_EQ(maxima.size(), expected.size());
    for (std::size_t i = 0; i < maxima.size(); ++i) {
      EXPECT_NEAR(maxima[i].value, expected[i].value, error * (expected[i].value + cuts));
    }
    ASSERT_EQ(layer.size(), communicator.is_first() ? right.size() : 0);
    for (std::size_t k = 0; k < layer.size(); ++k) {
      ASSERT_NEAR(layer[k], right[k], error * (right[k] + cuts)) << k;
    }
  });
}

}  // namespace bombard::tests
