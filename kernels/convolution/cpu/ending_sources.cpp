#include "kernels/convolution/cpu/ending_sources.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "kernels/base/share_out.hpp"
#include "kernels/convolution/cpu/sources.hpp"

namespace bombard::cpu {

namespace {

// One thread has done fewer before another has begun (few_sources in convolved_layer.cpp).
constexpr std::int64_t few_ending_deposits = 1 << 14;

// A source leaves when there is at least a chunk between its own and the one that it ends in, on
// both sides.
constexpr std::int64_t least_long_reach = 2 * chunk_cells;
// As good as none, and no sum with a position overflows.
constexpr std::int64_t longest_reach = std::int64_t{1} << 62;

// Outside all layers.
constexpr Impact nowhere{-(std::int64_t{1} << 61), 0};

// Of cells before the layer, too: a shift rounds down.
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

/// What becomes of a deposit.
struct EndingSources::Fate {
  bool ends = false;    ///< somewhere in the whole layer
  bool source = false;  ///< it comes to the states
  struct Leaves {
    std::int64_t chunk, distance;
  };
  std::optional<Leaves> right, left;
  CellRange patches[2];
};

inline EndingSources::Fate EndingSources::fate(const PaddedLayer& layer, const Impact& deposit,
                                               std::int64_t reach) {
  Fate fate;
  if (deposit.energy == 0) return fate;
  const std::int64_t cell = deposit.position - layer.first;
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
  // a state is without the source, and it leaves in the step there.
  const std::int64_t leaves_right = right_chunk - 2, leaves_left = left_chunk + 2;
  fate.source =
      (own >= 0 || leaves_right >= 0) && (own < layer.chunks || leaves_left < layer.chunks);
  fate.patches[0] = layer.own.common({right_chunk * chunk_cells, right});
  fate.patches[1] = layer.own.common({left + 1, (left_chunk + 1) * chunk_cells});
  if (in_layer(leaves_right)) {
    fate.right = {leaves_right, (right_chunk - 1) * chunk_cells - cell + 1};
  }
  if (in_layer(leaves_left)) {
    fate.left = {leaves_left, cell - ((left_chunk + 2) * chunk_cells - 1) + 1};
  }
  return fate;
}

EndingSources::Counted EndingSources::count(const Part& part) {
  Counted counted;
  for (std::int64_t i = part.begin; i < part.end; ++i) {
    const Fate of_deposit = fate(part.layer, part.deposits[i], part.reaches[i]);
    counted.any |= of_deposit.ends;
    const auto count_on = [&](const std::optional<Fate::Leaves>& leaves, Side& side) {
      if (!leaves) return;
      side.leavings.count(part.number, leaves->chunk / block_chunks);
      counted.farthest_leaving = std::max(counted.farthest_leaving, leaves->distance);
    };
    count_on(of_deposit.right, right_);
    count_on(of_deposit.left, left_);
    const std::int64_t cell = part.deposits[i].position - part.layer.first;
    for (const CellRange& cells : of_deposit.patches) {
      each_block_of(cells, [&](std::int64_t block, const CellRange& here) {
        patches_.count(part.number, block);
        counted.farthest_patched =
            std::max({counted.farthest_patched, std::abs(here.begin - cell) + 1,
                      std::abs(here.end - 1 - cell) + 1});
      });
    }
  }
  return counted;
}

void EndingSources::put(const Part& part) {
  for (std::int64_t i = part.begin; i < part.end; ++i) {
    const Fate of_deposit = fate(part.layer, part.deposits[i], part.reaches[i]);
    sources_[i] = of_deposit.source ? part.deposits[i] : nowhere;
    const auto put_on = [&](const std::optional<Fate::Leaves>& leaves, Side& side) {
      if (!leaves) return;
      side.leavings.put(part.number, leaves->chunk / block_chunks,
                        {i, leaves->chunk, leaves->distance});
    };
    put_on(of_deposit.right, right_);
    put_on(of_deposit.left, left_);
    const std::int32_t energy = part.deposits[i].energy;
    const double uncertainty =
        part.uncertainty == nullptr
            ? 0
            : part.uncertainty->of_deposits.of(i, energy) +
                  part.uncertainty->growth.growth * std::fabs(static_cast<double>(energy));
    const std::int64_t cell = part.deposits[i].position - part.layer.first;
    for (const CellRange& cells : of_deposit.patches) {
      each_block_of(cells, [&](std::int64_t block, const CellRange& here) {
        const CellRange in_block = here.counted_from(block * block_cells);
        patches_.put(part.number, block,
                     {.at = cell - block * block_cells,
                      .uncertainty = uncertainty,
                      .energy = energy,
                      .begin = static_cast<std::uint16_t>(in_block.begin),
                      .end = static_cast<std::uint16_t>(in_block.end)});
      });
    }
  }
}

void EndingSources::Side::make_room(std::int64_t chunks, bool with_uncertainty) {
  of_chunks.resize(static_cast<std::size_t>(chunks));
  distances.at_least(leavings.size());
  energies.at_least(leavings.size());
  if (with_uncertainty) uncertainties.at_least(leavings.size());
}

/// A counting sort by chunk, which leaves those of a chunk in their order.
void EndingSources::Side::sort_block(std::int64_t block, std::span<const Impact> deposits,
                                     const DepositUncertainty* uncertainty) {
  std::int64_t next[block_chunks] = {};
  const std::int64_t first = block * block_chunks;
  const std::span<const Leaving> items = leavings.of_block(block);
  for (const Leaving& leaving : items) ++next[leaving.chunk - first];
  std::int64_t end = leavings.begin_of(block);
  const auto chunks = static_cast<std::int64_t>(of_chunks.size());
  for (std::int64_t c = 0; c < std::min(block_chunks, chunks - first); ++c) {
    const std::int64_t begin = end;
    end += next[c];
    next[c] = begin;
    of_chunks[first + c] = {begin, end};
  }
  for (const Leaving& leaving : items) {
    const std::int64_t to = next[leaving.chunk - first]++;
    const std::int32_t energy = deposits[static_cast<std::size_t>(leaving.deposit)].energy;
    distances[to] = leaving.distance;
    energies[to] = energy;
    if (uncertainty != nullptr) {
      uncertainties[to] = source_uncertainty(*uncertainty, leaving.deposit, energy);
    }
  }
}

void EndingSources::sort(const PaddedLayer& layer, std::span<const Impact> deposits,
                         std::span<const std::int64_t> reaches, const StormUncertainty* uncertainty,
                         int threads) {
  count_ = static_cast<std::int64_t>(deposits.size());
  const std::int64_t blocks = blocks_of(layer.chunks);
  const std::int64_t parts = std::clamp<std::int64_t>(count_ / few_ending_deposits, 1, threads);
  const auto part = [&](std::int64_t number) {
    return Part{layer,
                deposits,
                reaches,
                uncertainty,
                number,
                number * count_ / parts,
                (number + 1) * count_ / parts};
  };
  right_.leavings.begin(parts, blocks);
  left_.leavings.begin(parts, blocks);
  patches_.begin(parts, blocks);
  std::vector<Counted> counted(static_cast<std::size_t>(parts));
  share_out(parts, threads, [&](const auto& each) {
    each([&](std::int64_t number) { counted[number] = count(part(number)); });
  });
  any_ = false;
  farthest_leaving_ = farthest_patched_ = 0;
  for (const Counted& of_part : counted) {
    any_ |= of_part.any;
    farthest_leaving_ = std::max(farthest_leaving_, of_part.farthest_leaving);
    farthest_patched_ = std::max(farthest_patched_, of_part.farthest_patched);
  }
  if (!any_) return;

  right_.leavings.end_counting();
  left_.leavings.end_counting();
  patches_.end_counting();
  sources_.at_least(count_);
  share_out(parts, threads,
            [&](const auto& each) { each([&](std::int64_t number) { put(part(number)); }); });
  const DepositUncertainty* const of_deposits =
      uncertainty == nullptr ? nullptr : &uncertainty->of_deposits;
  right_.make_room(layer.chunks, uncertainty != nullptr);
  left_.make_room(layer.chunks, uncertainty != nullptr);
  share_out(blocks, parts > 1 ? threads : 1, [&](const auto& each) {
    each([&](std::int64_t block) {
      right_.sort_block(block, deposits, of_deposits);
      left_.sort_block(block, deposits, of_deposits);
    });
  });
}

}  // namespace bombard::cpu
