#include "tools/page/envelope.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <variant>

namespace bombard::tools {

namespace {

// A bin is divided into this number of bins in the next step: a power of 2, like the widths.
constexpr std::int64_t step = 8;
// The bins that are divided on each side of the one with the centre: where the next step begins, it
// fills a screen at twice the zoom.
constexpr std::int64_t divided_bins = 32;

std::int64_t bins_of(const BinRun& run) {
  return (run.cells.count() + run.width - 1) / run.width;
}

/// The cells of the bin with the centre and of its neighbours, which are divided further.
CellRange divided(std::int64_t centre, std::int64_t width, const CellRange& within) {
  const std::int64_t begin = centre / width * width;
  return CellRange{begin - divided_bins * width, begin + (divided_bins + 1) * width}.common(within);
}

std::vector<CellRange> bins(const std::vector<BinRun>& runs) {
  std::vector<CellRange> all;
  for (const BinRun& run : runs) {
    for (std::int64_t begin = run.cells.begin; begin < run.cells.end; begin += run.width) {
      all.push_back({begin, std::min(begin + run.width, run.cells.end)});
    }
  }
  return all;
}

/// The lowest and the highest of some cells.
template <class T>
std::pair<T, T> extremes(std::span<const T> cells) {
  T lowest = std::numeric_limits<T>::infinity();
  T highest = -lowest;
#pragma omp simd reduction(min : lowest) reduction(max : highest)
  for (std::size_t k = 0; k < cells.size(); ++k) {
    lowest = cells[k] < lowest ? cells[k] : lowest;
    highest = cells[k] > highest ? cells[k] : highest;
  }
  return {lowest, highest};
}

}  // namespace

std::vector<BinRun> plan_bins(std::int64_t cells, std::int64_t most_bins,
                              std::optional<std::int64_t> centre) {
  CellRange left{0, cells};  // still to be divided into runs
  std::int64_t width = 1;
  while (bins_of({left, width}) > most_bins) width *= 2;

  std::vector<BinRun> runs, behind;
  for (; centre && width > 1; width = std::max<std::int64_t>(width / step, 1)) {
    const CellRange inner = divided(*centre, width, left);
    if (inner.begin > left.begin) runs.push_back({{left.begin, inner.begin}, width});
    if (inner.end < left.end) behind.push_back({{inner.end, left.end}, width});
    left = inner;
  }
  runs.push_back({left, width});
  runs.insert(runs.end(), behind.rbegin(), behind.rend());
  return runs;
}

std::int64_t bin_count(const std::vector<BinRun>& runs) {
  std::int64_t count = 0;
  for (const BinRun& run : runs) count += bins_of(run);
  return count;
}

Envelope envelope(const LayerView& layer, std::vector<BinRun> runs) {
  const std::vector<CellRange> all = bins(runs);
  Envelope found{std::move(runs), std::vector<float>(all.size()), std::vector<float>(all.size())};
  std::visit(
      [&](const auto& cells) {
#pragma omp parallel for schedule(dynamic, 16)
        for (std::size_t i = 0; i < all.size(); ++i) {
          const auto [lowest, highest] = extremes(slice(cells, all[i]));
          found.lowest[i] = static_cast<float>(lowest);
          found.highest[i] = static_cast<float>(highest);
        }
      },
      layer);
  return found;
}

}  // namespace bombard::tools
