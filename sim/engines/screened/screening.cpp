#include "sim/engines/screened/screening.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/engines/costs.hpp"
#include "sim/engines/highest_peaks.hpp"

namespace bombard {

double GroupScreening::lower(std::int64_t cell) const {
  const double here = value(cell);
  return here - (bound(here) + excess_ + uncertainty(cell));
}

double GroupScreening::upper(std::int64_t cell) const {
  const double here = value(cell);
  return here + (bound(here) + uncertainty(cell));
}

double GroupScreening::relative_bound(std::int64_t cell) const {
  return own_.contains(cell) && value(cell) > 0 ? 1 - lower(cell) / value(cell) : 0;
}

std::vector<CellValue> GroupScreening::best_peaks(std::size_t count) const {
  HighestPeaks best(count, absolute_);
  const auto look_at = [&](std::int64_t g) {
    const CellRange cells = group(g).common(own_);
    for (std::int64_t k = cells.begin; k < cells.end; ++k) {
      ++looked_at_;
      const CellValue cell{k, value(k)};
      if (best.takes(cell) && cell.value > value(k - 1) && cell.value > value(k + 1)) {
        best.add(cell);
      }
    }
  };
  // The most promising group first: after it hardly another one can matter.
  std::int64_t first = 0;
  for (std::int64_t g = 1; g < groups(); ++g) {
    if (highest(g) > highest(first)) first = g;
  }
  look_at(first);
  for (std::int64_t g = 0; g < groups(); ++g) {
    if (g != first && highest(g) >= best.least()) look_at(g);
  }
  return std::move(best).sorted();
}

std::optional<std::vector<std::int64_t>> GroupScreening::candidates(double least, double most,
                                                                    std::size_t limit) const {
  std::vector<std::int64_t> found;
  std::int64_t walked = 0;
  const auto gives_up = [&] {
    return found.size() > limit || walked >= most_walked || took_too_long();
  };
  const auto look_at = [&](std::int64_t k) {
    ++looked_at_;
    const double top = upper(k);
    if (top < least || top >= most || top <= 0) return;
    if (top > lower(k - 1) && top > lower(k + 1)) found.push_back(k);
  };
  // From a cell that has been looked at into the gap up to cell `end`, in steps of 1 or -1.
  const auto walk = [&](std::int64_t from, std::int64_t end, std::int64_t step) {
    if ((end - from) * step <= 1 || upper(from) < least) return;
    if (!may_have_peaks({std::min(from, end) + 1, std::max(from, end)})) return;
    for (std::int64_t k = from + step; k != end && !gives_up(); k += step) {
      ++walked;
      if (own_.contains(k)) look_at(k);
      if (upper(k) < least) return;
    }
  };
  for (std::int64_t g = 0; g < groups() && !gives_up(); ++g) {
    if (highest(g) + bound(highest(g)) < least) continue;
    const CellRange cells = group(g), own = cells.common(own_);
    for (std::int64_t k = own.begin; k < own.end; ++k) look_at(k);
    if (g + 1 < groups()) walk(cells.end - 1, group(g + 1).begin, 1);
    if (g > 0) walk(cells.begin, group(g - 1).end - 1, -1);
  }
  if (gives_up()) return std::nullopt;
  std::ranges::sort(found);  // two walks may have met
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::optional<std::vector<CellValue>> Screening::highest_peaks(std::size_t count, std::size_t few,
                                                               std::size_t limit,
                                                               const Confirm& confirm) const {
  std::vector<CellValue> peaks;
  const auto confirmed = [&](const std::vector<std::int64_t>& cells) {
    const std::optional<std::vector<CellValue>> more = confirm(cells);
    if (!more) return false;
    peaks.insert(peaks.end(), more->begin(), more->end());
    std::ranges::sort(peaks, {},
                      [](const CellValue& peak) { return std::pair(-peak.value, peak.position); });
    peaks.erase(std::unique(peaks.begin(), peaks.end()), peaks.end());
    return true;
  };
  // Round after round: the candidates that may reach `done` are known, then those that may reach
  // `least`.
  double done = std::numeric_limits<double>::infinity();
  for (std::size_t tried = count;; tried *= 4) {
    const std::vector<CellValue> best = best_peaks(tried);
    double least = best.size() < tried ? 0 : std::max(0.0, lower(best.back().position));
    std::optional<std::vector<std::int64_t>> found = candidates(least, done, few);
    if (!found) {
      std::vector<std::int64_t> cells;
      for (const CellValue& peak : best) cells.push_back(peak.position);
      std::ranges::sort(cells);
      if (!confirmed(cells)) return std::nullopt;
      if (peaks.size() >= count) least = std::max(least, peaks[count - 1].value);
      found = candidates(least, done, limit);
    }
    if (!found || !confirmed(*found)) return std::nullopt;
    if (least == 0 || (peaks.size() >= count && peaks[count - 1].value >= least)) {
      peaks.resize(std::min(peaks.size(), count));
      return peaks;
    }
    done = least;
  }
}

}  // namespace bombard
