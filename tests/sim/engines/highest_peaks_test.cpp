#include "sim/engines/highest_peaks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace bombard {
namespace {

using Peaks = std::vector<std::pair<std::int64_t, double>>;

template <class T>
Peaks peaks_of(const std::vector<T>& layer, std::int64_t count) {
  Peaks peaks;
  for (const CellValue& peak : highest_peaks(std::span(layer), count)) {
    peaks.emplace_back(peak.position, peak.value);
  }
  return peaks;
}

/// All peaks, sorted: another way to the same result.
template <class T>
Peaks sorted_peaks(const std::vector<T>& layer, std::size_t count) {
  Peaks peaks;
  for (std::size_t k = 1; k + 1 < layer.size(); ++k) {
    if (layer[k] > 0 && layer[k] > layer[k - 1] && layer[k] > layer[k + 1]) {
      peaks.emplace_back(k, layer[k]);
    }
  }
  std::ranges::stable_sort(peaks, [](const auto& a, const auto& b) { return a.second > b.second; });
  peaks.resize(std::min(count, peaks.size()));
  return peaks;
}

TEST(HighestPeaks, ByHeightAndThenByPosition) {
  const std::vector<float> layer = {9, 1, 3, 2, 5, 4, 5, 4, 7, 7, 1, 3, 0, 8};
  EXPECT_EQ(peaks_of(layer, 1), (Peaks{{4, 5}}));
  EXPECT_EQ(peaks_of(layer, 2), (Peaks{{4, 5}, {6, 5}}));
  EXPECT_EQ(peaks_of(layer, 3), (Peaks{{4, 5}, {6, 5}, {2, 3}}));
  EXPECT_EQ(peaks_of(layer, 100), (Peaks{{4, 5}, {6, 5}, {2, 3}, {11, 3}}));
}

TEST(HighestPeaks, NoneWhereThereIsNone) {
  EXPECT_EQ(peaks_of(std::vector<float>{}, 3), Peaks{});
  EXPECT_EQ(peaks_of(std::vector<float>{1}, 3), Peaks{});
  EXPECT_EQ(peaks_of(std::vector<float>{1, 2}, 3), Peaks{});
  EXPECT_EQ(peaks_of(std::vector<float>{-3, -2, -3}, 3), Peaks{});
  EXPECT_EQ(peaks_of(std::vector<float>{1, 2, 2, 1}, 3), Peaks{});
  EXPECT_EQ(peaks_of(std::vector<float>{1, 2, 1}, 0), Peaks{});
  EXPECT_EQ(peaks_of(std::vector<float>{1, std::numeric_limits<float>::quiet_NaN(), 1, 2, 1}, 3),
            (Peaks{{3, 2}}));
}

TEST(HighestPeaks, KeepEveryDigit) {
  const double value = 12177.073858123456;
  EXPECT_EQ(peaks_of(std::vector<double>{0, value, std::nextafter(value, 0.0)}, 1),
            (Peaks{{1, value}}));
}

TEST(HighestPeaks, AreThoseOfAllPeaksSorted) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> height(-3, 12);  // many equal ones
  for (const std::size_t size : {3, 4, 31, 32, 33, 1023, 1024, 1025}) {
    std::vector<float> layer(size);
    for (float& cell : layer) cell = static_cast<float>(height(random));
    for (const std::size_t count : {1, 2, 7, 64, 2000}) {
      EXPECT_EQ(peaks_of(layer, static_cast<std::int64_t>(count)), sorted_peaks(layer, count))
          << size << ' ' << count;
    }
  }
}

TEST(ValuesAt, AreInTheOrderOfTheList) {
  const std::vector<double> layer = {0.5, 1.25, 2, 3};
  const std::vector<CellRange> cells = {{3, 4}, {0, 2}};
  EXPECT_EQ(values_at(std::span(layer), cells),
            (std::vector<CellValue>{{3, 3}, {0, 0.5}, {1, 1.25}}));
}

}  // namespace
}  // namespace bombard
