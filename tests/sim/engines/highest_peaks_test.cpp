#include "sim/engines/highest_peaks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace bombard {
namespace {

using Peaks = std::vector<CellValue>;

/// All peaks, sorted: another way to the same result.
Peaks sorted_peaks(const std::vector<float>& layer, std::size_t count) {
  Peaks peaks;
  for (std::size_t k = 1; k + 1 < layer.size(); ++k) {
    if (layer[k] > 0 && layer[k] > layer[k - 1] && layer[k] > layer[k + 1]) {
      peaks.push_back({static_cast<std::int64_t>(k), layer[k]});
    }
  }
  std::ranges::stable_sort(peaks, std::ranges::greater(), &CellValue::value);
  peaks.resize(std::min(count, peaks.size()));
  return peaks;
}

TEST(HighestPeaks, ByHeightAndThenByPosition) {
  const std::vector<float> layer = {9, 1, 3, 2, 5, 4, 5, 4, 7, 7, 1, 3, 0, 8};
  EXPECT_EQ(highest_peaks(std::span(layer), 1), (Peaks{{4, 5}}));
  EXPECT_EQ(highest_peaks(std::span(layer), 3), (Peaks{{4, 5}, {6, 5}, {2, 3}}));
  EXPECT_EQ(highest_peaks(std::span(layer), 100), (Peaks{{4, 5}, {6, 5}, {2, 3}, {11, 3}}));
}

TEST(HighestPeaks, NoneWhereThereIsNone) {
  for (const std::vector<float>& layer :
       {std::vector<float>{}, {1}, {1, 2}, {-3, -2, -3}, {1, 2, 2, 1}}) {
    EXPECT_EQ(highest_peaks(std::span(layer), 3), Peaks{}) << testing::PrintToString(layer);
  }
  const std::vector<float> with_nan{1, std::numeric_limits<float>::quiet_NaN(), 1, 2, 1};
  EXPECT_EQ(highest_peaks(std::span(with_nan), 3), (Peaks{{3, 2}}));
  EXPECT_EQ(highest_peaks(std::span(with_nan), 0), Peaks{});
}

TEST(HighestPeaks, AreThoseOfAllPeaksSorted) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> height(-3, 12);  // many equal ones
  for (const std::size_t size : {3, 4, 31, 32, 33, 1023, 1024, 1025}) {
    std::vector<float> layer(size);
    for (float& cell : layer) cell = static_cast<float>(height(random));
    for (const std::size_t count : {1, 2, 7, 64, 2000}) {
      EXPECT_EQ(highest_peaks(std::span(layer), static_cast<std::int64_t>(count)),
                sorted_peaks(layer, count))
          << size << ' ' << count;
    }
  }
}

TEST(ValuesAt, AreInTheOrderOfTheList) {
  const std::vector<double> layer = {0.5, 1.25, 2, 3};
  const std::vector<CellRange> cells = {{3, 4}, {0, 2}};
  EXPECT_EQ(values_at(std::span(layer), cells), (Peaks{{3, 3}, {0, 0.5}, {1, 1.25}}));
}

}  // namespace
}  // namespace bombard
