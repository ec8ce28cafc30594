#include "kernels/convolution/cpu/ending_sources.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace bombard::cpu {

namespace {

// A source exits if, on both sides, at least one chunk lies between its own chunk and the one in
// which it ends.
constexpr std::int64_t least_long_reach = 2 * chunk_cells;
// As good as no end, and no sum with a position overflows.
constexpr std::int64_t longest_reach = std::int64_t{1} << 62;

// Outside all layers.
constexpr Impact nowhere{-(std::int64_t{1} << 61), 0};

std::int64_t cell_of(const LayerStorm& storm, std::int64_t i) {
  return storm.impacts[i].position - storm.origin + chunk_cells;
}
std::int64_t reach_of(const LayerStorm& storm, std::int64_t i) {
  return std::min(storm.reaches[i], longest_reach);
}

// The chunk of a cell, also of one before the layer: a shift rounds down.
constexpr std::int64_t chunk_of(std::int64_t cell) {
  return cell >> std::countr_zero(static_cast<std::uint64_t>(chunk_cells));
}

}  // namespace

EndingSources::EndingSources(const Slab& slab, std::int64_t chunks, std::int64_t block_chunks)
    : chunks_(chunks),
      block_cells_(block_chunks * chunk_cells),
      own_{chunk_cells, chunk_cells + slab.cells},
      whole_{chunk_cells - slab.first, chunk_cells - slab.first + slab.whole} {}

/// Whether an impact has energy and ends somewhere in the whole layer.
bool EndingSources::ends(const LayerStorm& storm, std::int64_t i) const {
  const std::int64_t cell = cell_of(storm, i), reach = reach_of(storm, i);
  return storm.impacts[i].energy != 0 &&
         (cell + reach < whole_.end || cell - reach >= whole_.begin);
}

/// Calls put(list, exit) for the exits of impact i; returns whether it enters the states.
template <class Put>
inline bool EndingSources::put_exits(const LayerStorm& storm, std::int64_t i,
                                     const Put& put) const {
  if (!ends(storm, i)) return storm.impacts[i].energy != 0;
  const std::int64_t cell = cell_of(storm, i), reach = reach_of(storm, i);
  if (reach < least_long_reach) return false;
  const auto add = [&](Towards side, std::int64_t chunk, std::int64_t distance) {
    if (chunk < 0 || chunk >= chunks_) return;
    put(side * chunks_ + chunk,
        {distance, {static_cast<double>(storm.impacts[i].energy), storm.energy_uncertainty(i)}});
  };
  // A chunk is evaluated with A of the chunk before it and B of the chunk after it: there a state
  // must be without the source, which exits in the step that leads there.
  const std::int64_t exit_right = chunk_of(cell + reach) - 2;
  const std::int64_t exit_left = chunk_of(cell - reach) + 2;
  add(to_right, exit_right, (exit_right + 1) * chunk_cells - cell + 1);
  add(to_left, exit_left, cell - exit_left * chunk_cells + 2);
  const std::int64_t own = chunk_of(cell);
  return (own >= 0 || exit_right >= 0) && (own < chunks_ || exit_left < chunks_);
}

/// Calls put(block, patch) for the patches of impact i.
template <class Put>
inline void EndingSources::put_patches(const LayerStorm& storm, std::int64_t i,
                                       const Put& put) const {
  if (!ends(storm, i)) return;
  const std::int64_t cell = cell_of(storm, i), reach = reach_of(storm, i);
  const auto energy = static_cast<double>(storm.impacts[i].energy);
  double uncertainty = 0;
  if (storm.uncertainty) {
    uncertainty = storm.uncertainty->of(i, storm.impacts[i].energy) +
                  storm.uncertainty->growth * std::fabs(energy);
  }
  const auto add = [&](CellRange cells) {
    cells = own_.common(cells);
    while (cells.begin < cells.end) {
      const std::int64_t block = cells.begin / block_cells_, block_begin = block * block_cells_;
      const std::int64_t end = std::min(cells.end, block_begin + block_cells_);
      put(block, {.at = cell - block_begin,
                  .amounts = {energy, uncertainty},
                  .begin = static_cast<std::uint16_t>(cells.begin - block_begin),
                  .end = static_cast<std::uint16_t>(end - block_begin)});
      cells.begin = end;
    }
  };
  // The nearest cells in which it does not count.
  const std::int64_t right = cell + reach, left = cell - reach;
  if (reach < least_long_reach) {
    add({left + 1, right});
  } else {
    add({chunk_of(right) * chunk_cells, right});
    add({left + 1, (chunk_of(left) + 1) * chunk_cells});
  }
}

void EndingSources::sort(const LayerStorm& storm, int threads) {
  count_ = std::ssize(storm.impacts);
  farthest_ = -1;
  if (storm.reaches.empty()) return;
  for (std::int64_t i = 0; i < count_; ++i) {
    if (ends(storm, i)) farthest_ = std::max(farthest_, reach_of(storm, i));
  }
  if (!any()) return;

  sources_.at_least(count_);
  exits_.fill(count_, 2 * chunks_, threads, [&](std::int64_t i, const auto& put) {
    sources_[i] = put_exits(storm, i, put) ? storm.impacts[i] : nowhere;
  });
  const std::int64_t blocks = (chunks_ * chunk_cells + block_cells_ - 1) / block_cells_;
  patches_.fill(count_, blocks, threads,
                [&](std::int64_t i, const auto& put) { put_patches(storm, i, put); });
}

}  // namespace bombard::cpu
