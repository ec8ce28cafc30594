#include "kernels/convolution/cpu/ending_sources.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <mutex>

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

/// Calls work(block, cells) for the cells of each block.
template <class Work>
void each_block_of(const CellRange& cells, const Work& work) {
  for (std::int64_t begin = cells.begin; begin < cells.end;) {
    const std::int64_t block = begin / block_cells;
    const std::int64_t end = std::min(cells.end, (block + 1) * block_cells);
    work(block, CellRange{begin, end});
    begin = end;
  }
}

}  // namespace

/// The ways that an impact can go.
struct EndingSources::Fate {
  bool ends = false;    ///< somewhere in the whole layer
  bool source = false;  ///< it comes to the states
  Exit exits[2] = {};   ///< [Towards] a distance of 0: it does not exit
  CellRange patches[2];
};

inline EndingSources::Fate EndingSources::fate(const Part& part, std::int64_t i) {
  const PaddedLayer& layer = part.layer;
  const Impact& impact = part.storm.impacts[i];
  std::int64_t reach = part.storm.reaches[i];
  Fate fate;
  if (impact.energy == 0) return fate;
  const std::int64_t cell = impact.position - layer.first;
  reach = std::min(reach, longest_reach);
  // The nearest cells that do not count.
  const std::int64_t right = cell + reach, left = cell - reach;
  fate.ends = right < layer.whole.end || left >= layer.whole.begin;
  fate.source = !fate.ends;
  if (!fate.ends || reach <= 0) return fate;
  if (reach < least_long_reach) {
    fate.patches[0] = layer.own.common({left + 1, right});
    return fate;
  }
  const std::int64_t own = chunk_of(cell);
  const std::int64_t right_chunk = chunk_of(right), left_chunk = chunk_of(left);
  const auto in_layer = [&](std::int64_t chunk) { return chunk >= 0 && chunk < layer.chunks; };
  // A chunk is evaluated with A of the chunk before it and B of the chunk behind it: this is where
  // a state is without the source, and it exits in the step there.
  const std::int64_t exit_right = right_chunk - 2, exit_left = left_chunk + 2;
  fate.source = (own >= 0 || exit_right >= 0) && (own < layer.chunks || exit_left < layer.chunks);
  fate.patches[0] = layer.own.common({right_chunk * chunk_cells, right});
  fate.patches[1] = layer.own.common({left + 1, (left_chunk + 1) * chunk_cells});
  if (in_layer(exit_right)) {
    fate.exits[to_right] = {i, exit_right, (right_chunk - 1) * chunk_cells - cell + 1};
  }
  if (in_layer(exit_left)) {
    fate.exits[to_left] = {i, exit_left, cell - ((left_chunk + 2) * chunk_cells - 1) + 1};
  }
  return fate;
}

std::pair<bool, std::int64_t> EndingSources::count(const Part& part) {
  bool any = false;
  std::int64_t farthest = 0;
  for (std::int64_t i = part.begin; i < part.end; ++i) {
    const Impact& impact = part.storm.impacts[i];
    const Fate fate = EndingSources::fate(part, i);
    any |= fate.ends;
    for (const Towards side : {to_right, to_left}) {
      const Exit& exit = fate.exits[side];
      if (exit.distance > 0) sides_[side].exits.part(part.number).count(exit.chunk / block_chunks);
    }
    const std::int64_t cell = impact.position - part.layer.first;
    for (const CellRange& cells : fate.patches) {
      each_block_of(cells, [&](std::int64_t block, const CellRange& here) {
        patches_.part(part.number).count(block);
        farthest = std::max(
            {farthest, std::abs(here.begin - cell) + 1, std::abs(here.end - 1 - cell) + 1});
      });
    }
  }
  return {any, farthest};
}

void EndingSources::put(const Part& part) {
  const LayerStorm& storm = part.storm;
  for (std::int64_t i = part.begin; i < part.end; ++i) {
    const Impact& impact = storm.impacts[i];
    const Fate fate = EndingSources::fate(part, i);
    sources_[i] = fate.source ? impact : nowhere;
    for (const Towards side : {to_right, to_left}) {
      const Exit& exit = fate.exits[side];
      if (exit.distance > 0) {
        sides_[side].exits.part(part.number).put(exit.chunk / block_chunks, exit);
      }
    }
    const double uncertainty =
        storm.uncertainty
            ? storm.uncertainty->of_deposits.of(i, impact.energy) +
                  storm.uncertainty->growth.growth * std::fabs(static_cast<double>(impact.energy))
            : 0;
    const std::int64_t cell = impact.position - part.layer.first;
    for (const CellRange& cells : fate.patches) {
      each_block_of(cells, [&](std::int64_t block, const CellRange& here) {
        const CellRange in_block = here.counted_from(block * block_cells);
        patches_.part(part.number)
            .put(block, {.at = cell - block * block_cells,
                         .uncertainty = uncertainty,
                         .energy = impact.energy,
                         .begin = static_cast<std::uint16_t>(in_block.begin),
                         .end = static_cast<std::uint16_t>(in_block.end)});
      });
    }
  }
}

void EndingSources::Side::make_room(std::int64_t chunks, bool with_uncertainty) {
  ranges.resize(static_cast<std::size_t>(chunks));
  distances.at_least(exits.size());
  for (int f = 0; f < (with_uncertainty ? 2 : 1); ++f) amounts[f].at_least(exits.size());
}

/// A counting sort by chunk, which leaves those of a chunk in their order.
void EndingSources::Side::sort_block(std::int64_t block, const LayerStorm& storm) {
  std::int64_t next[block_chunks] = {};
  const std::int64_t first = block * block_chunks;
  const std::span<const Exit> here = exits.items(block);
  for (const Exit& exit : here) ++next[exit.chunk - first];
  std::int64_t end = exits.items_begin(block);
  const auto chunks = static_cast<std::int64_t>(ranges.size());
  for (std::int64_t c = 0; c < std::min(block_chunks, chunks - first); ++c) {
    const std::int64_t begin = end;
    end += next[c];
    next[c] = begin;
    ranges[first + c] = {begin, end};
  }
  for (const Exit& exit : here) {
    const std::int64_t to = next[exit.chunk - first]++;
    distances[to] = exit.distance;
    amounts[0][to] = storm.impacts[static_cast<std::size_t>(exit.impact)].energy;
    if (storm.uncertainty) amounts[1][to] = storm.energy_uncertainty(exit.impact);
  }
}

void EndingSources::sort(const PaddedLayer& layer, const LayerStorm& storm, int threads) {
  count_ = static_cast<std::int64_t>(storm.impacts.size());
  const std::int64_t blocks = blocks_of(layer.chunks);
  const std::int64_t parts = std::clamp<std::int64_t>(count_ / few_ending_impacts, 1, threads);
  const auto each_part = [&](const auto& work) {
    share_out(parts, threads, [&](const auto& each) {
      each([&](std::int64_t number) {
        work(Part{layer, storm, number, number * count_ / parts, (number + 1) * count_ / parts});
      });
    });
  };
  for (Side& side : sides_) side.exits.begin(parts, blocks);
  patches_.begin(parts, blocks);
  any_ = false;
  farthest_patched_ = 0;
  std::mutex adding;
  each_part([&](const Part& part) {
    const auto [any, farthest] = count(part);
    const std::scoped_lock lock(adding);
    any_ |= any;
    farthest_patched_ = std::max(farthest_patched_, farthest);
  });
  if (!any_) return;

  for (Side& side : sides_) side.exits.end_counting();
  patches_.end_counting();
  sources_.at_least(count_);
  each_part([&](const Part& part) { put(part); });
  for (Side& side : sides_) side.make_room(layer.chunks, storm.uncertainty.has_value());
  share_out(blocks, parts > 1 ? threads : 1, [&](const auto& each) {
    each([&](std::int64_t block) {
      for (Side& side : sides_) side.sort_block(block, storm);
    });
  });
}

}  // namespace bombard::cpu
