// The search of a layer that is not stored must find all that there is to find: compared with a
// look at every cell.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "kernels/convolution/sparse/sparse_layer.hpp"
#include "sim/engines/highest_peaks.hpp"
#include "sim/engines/screened/layer_screening.hpp"
#include "tests/random_storms.hpp"

namespace bombard {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t no_limit = 1 << 20;

/// The same question, cell by cell.
std::vector<std::int64_t> all_candidates(const LayerScreening<cpu::SparseLayer>& screening,
                                         std::int64_t cells, double least, double most) {
  std::vector<std::int64_t> found;
  for (std::int64_t k = 1; k + 1 < cells; ++k) {
    const double upper = screening.upper(k);
    const bool peak = upper > screening.lower(k - 1) && upper > screening.lower(k + 1);
    if (upper >= least && upper < most && peak) found.push_back(k);
  }
  return found;
}

std::vector<CellValue> best_of_all(cpu::SparseLayer& layer, std::int64_t count) {
  std::vector<double> values;
  for (std::int64_t k = 0; k < layer.cells(); ++k) values.push_back(layer.value(k));
  return highest_peaks(std::span<const double>(values), count);
}

/// Some impacts inside, at the ends, outside, and in clusters, of energies that differ much or not.
std::vector<Impact> random_deposits(Random& random, std::int64_t cells) {
  std::vector<Impact> deposits(static_cast<std::size_t>(below(random, 6)));
  for (Impact& deposit : deposits) {
    const std::int64_t anywhere = below(random, cells), few = below(random, 12);
    const std::array<std::int64_t, 5> positions{anywhere, few, cells - 1 - few, -few,
                                                cells / 2 + few};
    const std::int64_t most = below(random, 2) == 0 ? 5 : 500;
    deposit = {positions[below(random, 5)], static_cast<std::int32_t>(1 + below(random, most))};
  }
  return deposits;
}

/// Where sources lie on one side only, the rule's layer has no peak between them and the end.
bool has_sources_on_both_sides(const std::vector<Impact>& deposits, std::int64_t cell) {
  const auto is_before = [&](const Impact& deposit) { return deposit.position <= cell; };
  const auto is_behind = [&](const Impact& deposit) { return deposit.position >= cell; };
  return std::ranges::any_of(deposits, is_before) && std::ranges::any_of(deposits, is_behind);
}

/// Compares what was found with all candidates: except where the rule's layer has no peak, none may
/// be missing, and no other may be there. Next to the ends roundings make peaks.
void expect_candidates(const std::optional<std::vector<std::int64_t>>& found,
                       const std::vector<std::int64_t>& all, const std::vector<Impact>& deposits,
                       std::int64_t storms, std::int64_t cells) {
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(std::ranges::includes(all, *found));
  for (const std::int64_t cell : all) {
    const bool is_at_end = cell <= storms || cell >= cells - 1 - storms;
    if (!is_at_end && !has_sources_on_both_sides(deposits, cell)) continue;
    EXPECT_TRUE(std::ranges::binary_search(*found, cell)) << "cell " << cell << " is missing";
  }
}

TEST(SparseScreening, FindsWhatALookAtEveryCellFinds) {
  Random random(8);
  for (std::uint64_t repeat = 0; repeat < cases(400); ++repeat) {
    const std::int64_t cells = 60 + below(random, 2000), storms = 1 + below(random, 9);
    cpu::SparseLayer layer(cells, square_root_attenuation, 1, 1e-12);
    std::vector<Impact> all_deposits;
    for (std::int64_t storm = 0; storm < storms; ++storm) {
      const std::vector<Impact> deposits = random_deposits(random, cells);
      all_deposits.insert(all_deposits.end(), deposits.begin(), deposits.end());
      layer.add_storm(deposits);
      const double factor = 0.3 / static_cast<double>(1 + below(random, 1000));
      const LayerScreening screening(layer, whole_layer(cells), factor, 0);
      for (const std::int64_t count : {std::int64_t{1}, 1 + below(random, 9)}) {
        ASSERT_EQ(screening.best_peaks(static_cast<std::size_t>(count)), best_of_all(layer, count))
            << "case " << repeat;
      }
      for (int threshold = 0; threshold < 4; ++threshold) {
        const std::int64_t cell = below(random, cells);
        // The value of a cell, or just what it may reach.
        const double least = threshold % 2 == 0 ? layer.value(cell) : screening.upper(cell);
        if (least == 0) continue;
        const double most = below(random, 2) == 0 ? infinite : 1.5 * least;
        SCOPED_TRACE(testing::Message()
                     << "case " << repeat << ", storm " << storm + 1
                     << ", at least the value of cell " << cell << " of " << cells);
        expect_candidates(screening.candidates(least, most, no_limit),
                          all_candidates(screening, cells, least, most), all_deposits, storm + 1,
                          cells);
        if (HasFailure()) return;
      }
    }
  }
}

// Far impacts on both sides leave a layer without groups that falls from either end to a flat
// middle. Bisection finds the cells that can be peaks: those near the ends are on slopes, and those
// in the middle are too many to be looked at one by one.
TEST(SparseScreening, FlatLayersAreBisected) {
  constexpr std::int64_t cells = 10'000'000'000'000;
  for (const Attenuation& attenuation :
       {square_root_attenuation, Attenuation{2}, Attenuation{0, 1e13}, Attenuation{0.5, 1e12}}) {
    SCOPED_TRACE(name_of(attenuation));
    cpu::SparseLayer layer(cells, attenuation, 1, 3e-8);
    std::vector<Impact> deposits;
    for (std::int64_t i = 0; i < 20; ++i) {
      deposits.push_back({i % 2 == 0 ? -1000 - i : cells + 1000 + i, 100});
    }
    layer.add_storm(deposits);
    constexpr double factor = 1e-6, slope = 5e-6;
    const LayerScreening screening(layer, whole_layer(cells), factor, 0);
    EXPECT_EQ(screening.candidates(0, infinite, no_limit), std::nullopt);
    EXPECT_LT(screening.looked_at(), 1000);
    // The cells that reach a thousandth below the first one are on a slope, unless the range is
    // long.
    const bool is_steep = layer.value(2) < layer.value(1) * (1 - slope);
    const auto near_the_ends = screening.candidates(layer.value(1) * 0.999, infinite, no_limit);
    ASSERT_EQ(near_the_ends.has_value(), is_steep);
    if (is_steep) {
      EXPECT_LE(near_the_ends->size(), 2U);
    }
  }
}

// Slopes of some million cells at either end, with the gap's lowest cells between them: no cell on
// a slope can be a peak.
TEST(SparseScreening, LongSlopesAreBisected) {
  constexpr std::int64_t cells = 10'000'000'000'000, outside = 10'000'000;
  for (const double power : {0.5, 2.0}) {
    cpu::SparseLayer layer(cells, {power}, 1, 3e-8);
    layer.add_storm(std::vector<Impact>{{-outside, 100}, {cells + outside, 100}});
    const LayerScreening screening(layer, whole_layer(cells), 1e-9, 0);
    const auto found = screening.candidates(layer.value(1) / 2, infinite, no_limit);
    ASSERT_TRUE(found) << power;
    EXPECT_TRUE(found->empty());
    EXPECT_LT(screening.looked_at(), 1000);
  }
}

}  // namespace
}  // namespace bombard
