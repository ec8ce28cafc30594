#include "kernels/convolution/cpu/ending_sources.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/base/share_out.hpp"

namespace bombard::cpu {

namespace {

// One thread has done fewer before another has begun (few_sources in convolved_layer.cpp).
constexpr std::int64_t few_ending_impacts = 1 << 14;

// A source exits when there is at least a chunk between its own and the one that it ends in, on
// both sides.
constexpr std::int64_t least_long_reach = 2 * chunk_cells;
// As good as none, and no sum with a position overflows.
constexpr std::int64_t longest_reach = std::int64_t{1} << 62;

// Outside all layers.
constexpr Impact nowhere{-(std::int64_t{1} << 61), 0};

// The chunk of a cell, also of one before the layer: a shift rounds down.
constexpr std::int64_t chunk_of(std::int64_t cell) {
  return cell >> std::countr_zero(static_cast<std::uint64_t>(chunk_cells));
}

}  // namespace

EndingSources::EndingSources(const Slab& slab, std::int64_t chunks)
    : chunks_(chunks),
      blocks_(blocks_of(chunks)),
      own_{chunk_cells, chunk_cells + slab.cells},
      whole_{chunk_cells - slab.first, chunk_cells - slab.first + slab.whole} {}

/// Whether an impact on this cell of the padded layer ends somewhere in the whole layer.
bool EndingSources::ends(std::int64_t cell, std::int64_t reach) const {
  return cell + reach < whole_.end || cell - reach >= whole_.begin;
}

/// Calls put(bucket, piece) for the pieces of impact i; returns whether it comes to the states.
template <class Put>
inline bool EndingSources::cut(const LayerStorm& storm, std::int64_t i, const Put& put) const {
  const std::int32_t energy = storm.impacts[i].energy;
  const std::int64_t cell = storm.impacts[i].position - storm.origin + chunk_cells;
  const std::int64_t reach = std::min(storm.reaches[i], longest_reach);
  if (energy == 0) return false;
  if (!ends(cell, reach)) return true;
  if (reach <= 0) return false;
  const auto add = [&](int kind, CellRange cells, double uncertainty) {
    while (cells.begin < cells.end) {
      const std::int64_t block = cells.begin / block_cells, block_begin = block * block_cells;
      const std::int64_t end = std::min(cells.end, block_begin + block_cells);
      put(bucket(kind, block), {.at = cell - block_begin,
                                .uncertainty = uncertainty,
                                .energy = energy,
                                .begin = static_cast<std::uint16_t>(cells.begin - block_begin),
                                .end = static_cast<std::uint16_t>(end - block_begin)});
      cells.begin = end;
    }
  };
  const auto add_patch = [&](const CellRange& cells) {
    const double uncertainty = storm.uncertainty ? storm.uncertainty->of_deposits.of(i, energy) +
                                                       storm.uncertainty->growth.growth *
                                                           std::fabs(static_cast<double>(energy))
                                                 : 0;
    add(patch, own_.common(cells), uncertainty);
  };
  const auto add_exit = [&](Towards side, std::int64_t chunk) {
    if (chunk < 0 || chunk >= chunks_) return;
    const double uncertainty = storm.uncertainty ? storm.energy_uncertainty(i) : 0;
    add(side, {chunk * chunk_cells, (chunk + 1) * chunk_cells}, uncertainty);
  };
  // The nearest cells that do not count.
  const std::int64_t right = cell + reach, left = cell - reach;
  if (reach < least_long_reach) {
    add_patch({left + 1, right});
    return false;
  }
  const std::int64_t own = chunk_of(cell);
  const std::int64_t right_chunk = chunk_of(right), left_chunk = chunk_of(left);
  add_patch({right_chunk * chunk_cells, right});
  add_patch({left + 1, (left_chunk + 1) * chunk_cells});
  // A chunk is evaluated with A of the chunk before it and B of the chunk behind it: this is where
  // a state is without the source, and it exits in the step there.
  const std::int64_t exit_right = right_chunk - 2, exit_left = left_chunk + 2;
  add_exit(to_right, exit_right);
  add_exit(to_left, exit_left);
  return (own >= 0 || exit_right >= 0) && (own < chunks_ || exit_left < chunks_);
}

/// A counting sort by chunk, which leaves those of a chunk in their order.
void EndingSources::sort_exits(Towards side, std::int64_t block, bool with_uncertainty) {
  const std::span<const EndingPiece> exits = pieces_.items(bucket(side, block));
  std::int64_t next[block_chunks] = {};
  for (const EndingPiece& exit : exits) ++next[exit.begin / chunk_cells];
  std::int64_t end = pieces_.items_begin(bucket(side, block));
  const std::int64_t first = block * block_chunks;
  for (std::int64_t c = 0; c < std::min(block_chunks, chunks_ - first); ++c) {
    const std::int64_t begin = end;
    end += next[c];
    next[c] = begin;
    ranges_[side][first + c] = {begin, end};
  }
  for (const EndingPiece& exit : exits) {
    const std::int64_t to = next[exit.begin / chunk_cells]++;
    distances_[to] = side == to_right ? exit.end - exit.at + 1 : exit.at - exit.begin + 2;
    amounts_[0][to] = exit.energy;
    if (with_uncertainty) amounts_[1][to] = exit.uncertainty;
  }
}

void EndingSources::sort(const LayerStorm& storm, int threads) {
  count_ = storm.impacts.size();
  clear();
  for (std::size_t i = 0; i < count_; ++i) {
    const std::int64_t cell = storm.impacts[i].position - storm.origin + chunk_cells;
    const std::int64_t reach = std::min(storm.reaches[i], longest_reach);
    if (storm.impacts[i].energy == 0 || !ends(cell, reach)) continue;
    farthest_ = std::max(farthest_, reach);
  }
  if (!any()) return;

  const auto count = static_cast<std::int64_t>(count_);
  const std::int64_t parts = std::clamp<std::int64_t>(count / few_ending_impacts, 1, threads);
  sources_.at_least(count);
  pieces_.fill(parts, kinds * blocks_, threads, [&](std::int64_t part, const auto& put) {
    for (std::int64_t i = part * count / parts; i < (part + 1) * count / parts; ++i) {
      sources_[i] = cut(storm, i, put) ? storm.impacts[i] : nowhere;
    }
  });
  const bool with_uncertainty = storm.uncertainty.has_value();
  distances_.at_least(exit_count());
  for (int f = 0; f < (with_uncertainty ? 2 : 1); ++f) amounts_[f].at_least(exit_count());
  for (auto& ranges : ranges_) ranges.resize(static_cast<std::size_t>(chunks_));
  share_out(blocks_, parts > 1 ? threads : 1, [&](const auto& each) {
    each([&](std::int64_t block) {
      for (const Towards side : {to_right, to_left}) sort_exits(side, block, with_uncertainty);
    });
  });
}

}  // namespace bombard::cpu
