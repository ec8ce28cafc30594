// The search of a layer that is not stored must find all that there is to find: compared with a
// look at every cell.

#include "sim/engines/sparse/sparse_screening.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "kernels/share/attenuation.hpp"
#include "sim/engines/fast/error_bound.hpp"
#include "tests/oracle.hpp"

namespace bombard {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t no_limit = 1 << 20;

/// The same question, cell by cell.
std::vector<std::int64_t> all_candidates(cpu::SparseLayer& layer, double factor, double least,
                                         double most) {
  std::vector<std::int64_t> found;
  for (std::int64_t k = 1; k + 1 < layer.cells(); ++k) {
    const double upper = layer.value(k) * (1 + factor);
    const auto lower = [&](std::int64_t cell) {
      return layer.value(cell) * (1 - factor) - layer.excess();
    };
    const bool peak = upper > lower(k - 1) && upper > lower(k + 1);
    if (upper >= least && upper < most && peak) found.push_back(k);
  }
  return found;
}

/// Some of all peaks, sorted: equal ones by position.
std::vector<std::int64_t> best_of_all(cpu::SparseLayer& layer, std::size_t count) {
  std::vector<std::int64_t> peaks;
  for (std::int64_t k = 1; k + 1 < layer.cells(); ++k) {
    const double here = layer.value(k);
    if (here > 0 && here > layer.value(k - 1) && here > layer.value(k + 1)) peaks.push_back(k);
  }
  std::ranges::stable_sort(peaks, std::greater<>(), [&](std::int64_t k) { return layer.value(k); });
  peaks.resize(std::min(peaks.size(), count));
  return peaks;
}

/// Some impacts inside, at the ends, outside, and in clusters, of energies that differ much or not.
std::vector<Impact> random_deposits(std::mt19937_64& random, std::int64_t cells) {
  std::vector<Impact> deposits(random() % 6);
  for (Impact& deposit : deposits) {
    const auto anywhere = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(cells));
    const auto few = static_cast<std::int64_t>(random() % 12);
    const std::array<std::int64_t, 5> positions{anywhere, few, cells - 1 - few, -few,
                                                cells / 2 + few};
    deposit = {positions[random() % positions.size()],
               static_cast<std::int32_t>(1 + random() % (random() % 2 == 0 ? 5 : 500))};
  }
  return deposits;
}

/// A deposit, and how far it may reach after all storms.
struct Reaching {
  std::int64_t position, cells;
};

/// Where shares from both sides come together, the rule's layer may have a peak between impacts.
bool shares_meet(const std::vector<Reaching>& all, std::int64_t cell) {
  std::int64_t last_from_left = -reaches_everywhere, first_from_right = reaches_everywhere;
  for (const auto& [position, cells] : all) {
    if (position <= cell) last_from_left = std::max(last_from_left, position + cells);
    if (position >= cell) first_from_right = std::min(first_from_right, position - cells);
  }
  return last_from_left >= first_from_right;
}

/// Compares what was found with all candidates: but for those where the rule's layer has no peak,
/// none may be missing, and no other may be there.
void expect_candidates(const std::optional<std::vector<std::int64_t>>& found,
                       const std::vector<std::int64_t>& all,
                       const std::vector<Reaching>& deposits) {
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(std::ranges::includes(all, *found));
  for (const std::int64_t cell : all) {
    if (!shares_meet(deposits, cell)) continue;
    EXPECT_TRUE(std::ranges::binary_search(*found, cell)) << "cell " << cell << " is missing";
  }
}

TEST(SparseScreening, FindsWhatALookAtEveryCellFinds) {
  std::mt19937_64 random(8);
  for (int repeat = 0; repeat < 400; ++repeat) {
    const auto cells = static_cast<std::int64_t>(60 + random() % 2000);
    const auto storms = static_cast<std::int64_t>(1 + random() % 9);
    cpu::SparseLayer layer(cells, square_root_attenuation, 1, 1e-12);
    std::vector<Reaching> all_deposits;
    for (std::int64_t storm = 0; storm < storms; ++storm) {
      const std::vector<Impact> deposits = random_deposits(random, cells);
      std::vector<std::int64_t> reaches;
      for (const Impact& deposit : deposits) {
        const auto reach = static_cast<std::int64_t>(1 + random() % 400);
        if (repeat % 2 == 1) reaches.push_back(reach);
        all_deposits.push_back({deposit.position, repeat % 2 == 1 ? reach - 1 + storms - storm
                                                                  : reaches_everywhere / 2});
      }
      layer.add_storm(deposits, reaches);
      const double factor = 0.3 / static_cast<double>(1 + random() % 1000);
      const SparseScreening screening(layer, factor, 0, {0, cells});
      const auto best = best_of_all(layer, 1);
      ASSERT_EQ(screening.best_peak(), best.empty() ? std::nullopt : std::optional(best[0]));
      const auto count = static_cast<std::size_t>(1 + random() % 9);
      ASSERT_EQ(screening.best_peaks(count), best_of_all(layer, count)) << "case " << repeat;
      for (int threshold = 0; threshold < 4; ++threshold) {
        const auto cell = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(cells));
        const double least = layer.value(cell);
        if (least == 0) continue;
        const double most = random() % 2 == 0 ? infinite : 1.5 * least;
        expect_candidates(screening.candidates(least, most, no_limit),
                          all_candidates(layer, factor, least, most), all_deposits);
        ASSERT_FALSE(testing::Test::HasFailure())
            << "case " << repeat << ", storm " << storm + 1 << ", at least the value of cell "
            << cell << " of " << cells;
      }
    }
  }
}

TEST(SparseScreening, OnlyCellsOfItsOwnCount) {
  cpu::SparseLayer layer(1000, square_root_attenuation, 1, 1e-12);
  layer.add_storm(std::vector<Impact>{{200, 100}, {500, 300}, {800, 299}});
  const SparseScreening part(layer, 1e-6, 0, {600, 1000});
  EXPECT_EQ(part.best_peak(), 800);
  EXPECT_EQ(part.candidates(part.lower(200), infinite, 10), (std::vector<std::int64_t>{800}));
}

TEST(SparseScreening, GivesUpOnGapsWithoutEnd) {
  cpu::SparseLayer layer(std::int64_t{1} << 40, square_root_attenuation, 1, 1e-12);
  layer.add_storm(std::vector<Impact>{{-5, 100}, {(std::int64_t{1} << 40) + 5, 100}});
  const SparseScreening screening(layer, 1e-6, 0, {0, layer.cells()});
  EXPECT_EQ(screening.best_peak(), std::nullopt);
  EXPECT_EQ(screening.candidates(0, infinite, 10), std::nullopt);
}

TEST(SparseScreening, GivesUpOnTooMany) {
  cpu::SparseLayer layer(10'000, square_root_attenuation, 1, 1e-12);
  layer.add_storm(std::vector<Impact>{{2000, 7}, {4000, 7}, {6000, 7}});
  const SparseScreening screening(layer, 1e-6, 0, {0, layer.cells()});
  const double least = screening.lower(2000) / 2;
  EXPECT_EQ(screening.candidates(least, infinite, 3),
            (std::vector<std::int64_t>{2000, 4000, 6000}));
  EXPECT_EQ(screening.candidates(least, infinite, 2), std::nullopt);
}

// Groups without a peak are far below the one that has it.
TEST(SparseScreening, ReachedByFewGroups) {
  cpu::SparseLayer layer(100'000, square_root_attenuation, 1, 1e-12);
  layer.add_storm(std::vector<Impact>{{2000, 700}, {40'000, 7}, {60'000, 70}});
  const SparseScreening screening(layer, 0, 0, {0, layer.cells()});
  EXPECT_NEAR(screening.reached_by(1), layer.value(60'000), 1e-9);
  EXPECT_EQ(screening.reached_by(3), 0);
}

// One of many impacts ends, so far away that all shares may be added.
TEST(SparseScreening, LowerIsBelowWhatCounts) {
  cpu::SparseLayer layer(1'000'000'000, square_root_attenuation, 1, 1e-12);
  std::vector<Impact> deposits;
  for (std::int64_t i = 1; i < 200; ++i) deposits.push_back({1'000'000 * i, 100});
  std::vector<std::int64_t> reaches(deposits.size(), reaches_everywhere);
  reaches.front() = 400'000'000;
  layer.add_storm(deposits, reaches);
  const SparseScreening screening(layer, 1e-12, 0, {0, layer.cells()});
  EXPECT_GT(layer.value(500'000'000), layer.counted(500'000'000) * (1 + 1e-6));
  EXPECT_LE(screening.lower(500'000'000), layer.counted(500'000'000));
  EXPECT_GT(screening.lower(500'000'000), layer.counted(500'000'000) * (1 - 1e-3));
}

using Storms = std::vector<oracle::Storm>;

/// Layers after some storms, with discounts and without. They have so many cells that the factor of
/// the bound serves.
struct Discounted {
  Discounted(std::int64_t cells, const Storms& storms)
      : layer(cells, square_root_attenuation, 1000.0 / static_cast<double>(cells), 1e-12),
        true_layer(cells, square_root_attenuation, 1000.0 / static_cast<double>(cells), 1e-12),
        rule(oracle::bombard(cells, storms).layer),
        reaches(layer_rule({.threshold = 0}, cells)),
        bound(whole_layer(cells), {.threshold = 0}, reaches) {
    for (const oracle::Storm& storm : storms) {
      std::vector<Impact> deposits;
      for (const auto& impact : storm) deposits.push_back({impact.position, impact.energy});
      layer.add_storm(deposits, {}, bound.discount_of_next({deposits}, std::ssize(deposits)));
      true_layer.add_storm(deposits);
      EXPECT_TRUE(bound.add_storm({deposits}, 1e-11));
      EXPECT_FALSE(bound.tracked_from());
    }
  }

  double upper(std::int64_t cell) { return layer.value(cell) * (1 + bound.factor()); }

  /// How much of what the bound leaves above the true layer the rule uses up at most.
  double used() {
    double most = 0;
    for (std::int64_t k = 0; k < layer.cells(); ++k) {
      const double of_rule = rule[static_cast<std::size_t>(k)], exact = true_layer.value(k);
      EXPECT_LE(layer.value(k) * (1 - bound.factor()), of_rule) << "cell " << k;
      EXPECT_LE(of_rule, upper(k)) << "cell " << k;
      most = std::max(most, (of_rule - exact) / (upper(k) - exact));
    }
    return most;
  }

  cpu::SparseLayer layer, true_layer;
  std::vector<float> rule;
  Reaches reaches;
  ErrorBound bound;
};

// An impact of 2^24 * 1.05 and thousands of energy 1 in the same cell: wherever the sum's
// significand is a little above 1.05, each of their shares is a little more than half a spacing of
// floats, and counts as a whole one. When the large impact comes last, there is nothing to round.
TEST(SparseScreening, DiscountsUseTheBoundUp) {
  const oracle::Storm large{{500, 17'616'077}}, small(990, {500, 1});
  oracle::Storm large_first = large, large_last = small;
  large_first.insert(large_first.end(), small.begin(), small.end());
  large_last.insert(large_last.end(), large.begin(), large.end());
  for (const auto& storms :
       {Storms{large_first}, Storms{large, small}, Storms{small, large, small}}) {
    const double used = Discounted(16'000, storms).used();
    EXPECT_LE(used, 1);
    EXPECT_GE(used, 0.85);
  }
  for (const auto& storms : {Storms{large_last}, Storms{small, large}}) {
    Discounted discounted(16'000, storms);
    EXPECT_LE(discounted.used(), 1);
    EXPECT_LT(discounted.upper(500), discounted.true_layer.value(500) * (1 + 40 * 0x1p-24));
    EXPECT_GT(discounted.bound.factor(), 990 * 0x1p-24);
  }
}

TEST(SparseScreening, DiscountsHoldInEveryCell) {
  std::mt19937_64 random(12);
  for (int repeat = 0; repeat < 30; ++repeat) {
    Storms storms(1 + random() % 4);
    for (oracle::Storm& storm : storms) {
      for (const Impact& deposit : random_deposits(random, 4000)) {
        storm.insert(storm.end(), 1 + random() % 30, {deposit.position, deposit.energy});
      }
    }
    EXPECT_LE(Discounted(4000, storms).used(), 1);
  }
}

}  // namespace
}  // namespace bombard
