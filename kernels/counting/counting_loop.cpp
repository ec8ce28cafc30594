#include <algorithm>
#include <cstddef>
#include <utility>

#include "kernels/counting/open_impacts.hpp"
#include "kernels/layer/update.hpp"
#include "kernels/share/computed_divisors.hpp"

// Counting (docs/methods.md, Counting): an impact that adds the same number of units at both ends
// of a block of cells, and is far from a tie there, adds this number to every cell of the block: it
// is counted once for all of them. The others are open: they are tested again on the parts of the
// block, and added by the rule, in file order, to the cells of the smallest blocks.

namespace bombard::cpu::counting {

namespace {

constexpr int parts = CountingMemory::parts, levels = CountingMemory::levels;
constexpr int leaf_cells = CountingMemory::fewest_cells, most_cells = CountingMemory::most_cells;
constexpr int cells_of_block[] = {most_cells, most_cells / parts, leaf_cells* parts, leaf_cells};

// A block that cannot take this many impacts leaves them to its parts, and the smallest blocks
// leave them to the rule (docs/journal.md, Counting).
constexpr int fewest_impacts = 128;
// The relative error that an estimated share may have: 4.8e-6 of the root after a Newton step from
// 2^-9, and eight roundings, including the 2.5 of the rule's share. (Shares below
// the normal numbers may be off by another 2^-150, which is less than 2^-27 units.)
constexpr float error = 0x1p-17F;
// The relative error of a sum of 4096 estimated shares, including its roundings.
constexpr float error_of_sum = 0x1p-10F;
// Up to here, twice an offset and all distances fit into 32-bit integers.
constexpr std::int64_t farthest_offset = std::int64_t{1} << 29;

[[gnu::always_inline]] inline Floats magnitude(Floats values) {
  return reinterpret_cast<Floats>(reinterpret_cast<Indices>(values) & 0x7fffffff);
}

[[gnu::always_inline]] inline float sum_of(Floats values) {
  return sum_of_elements<float, bytes>(values);
}

/// Adds the impacts `memory.given` to `all_cells` cells, `memory.layer`.
struct Counter {
  const DivisorTable& table;
  int all_cells;
  CountingMemory& memory;

  /// Adds impacts begin .. end-1 to the block that begins at `cell`, as far as the layer has it.
  void add(int level, int cell, int begin, int end) {
    const int cells = std::min(cells_of_block[level], all_cells - cell);
    for (int taken; cells > 0 && begin < end; begin += taken) {
      float unit = 0;
      taken = fitting(cell, cells, begin, end, unit);
      if (taken > 0) {
        count(level, cell, 1, memory.given, begin, begin + taken, 0, 1 / unit);
        continue;
      }
      taken = std::min(end - begin, fewest_impacts);
      if (level + 1 == levels) {
        add_in_order(cell, memory.given, begin, begin + taken, 0, 1);
      } else {
        for (int i = 0; i < parts; ++i) {
          add(level + 1, cell + i * cells_of_block[level + 1], begin, begin + taken);
        }
      }
    }
  }

  /// How many impacts from `begin` on leave all sums of a block, in any order of adding, in the one
  /// binade in which they lie: a multiple of fewest_impacts, or all. None if the sums lie in more
  /// than one binade, or are so small or large that units are not normal numbers. Sets `unit` to
  /// the binade's unit.
  int fitting(int cell, int cells, int begin, int end, float& unit) const {
    // Floats of one sign are in the same order as their bits.
    std::int32_t low = __builtin_bit_cast(std::int32_t, memory.layer[cell]), high = low;
    for (int k = 1; k < cells; ++k) {
      const auto bits = __builtin_bit_cast(std::int32_t, memory.layer[cell + k]);
      low = bits < low ? bits : low;
      high = bits > high ? bits : high;
    }
    constexpr std::int32_t fraction = 0x7fffff, exponent = 0x7f800000;
    const float start = __builtin_bit_cast(float, low& exponent);
    if (((low ^ high) & ~fraction) != 0 || !(start >= 0x1p-100F && start < 0x1p100F)) return 0;
    unit = start * 0x1p-23F;
    // Beyond the lower end units are half as large, so sums must stay above it.
    const float room_below = static_cast<float>(low & fraction);
    const float room_above = 0x1p23F - static_cast<float>(high & fraction);

    const float units = (low < 0 ? -1.0F : 1.0F) / unit;
    Floats away = {}, back = {};
    for (int i = begin; i < end; i += fewest_impacts) {
      const int behind = std::min(i + fewest_impacts, end);
      for (int j = i; j < behind; j += lanes) {
        const Indices offset = load_places(memory.given, j) >> 1;
        const Indices before = cell - offset, beyond = offset - (cell + cells - 1);
        const Indices apart = before > beyond ? before : beyond;
        const Floats share = load(memory.given.energies + j) * units * roots(apart > 0 ? apart : 0);
        away += share > 0 ? share : 0;
        back -= share < 0 ? share : 0;
      }
      // Each number of units is rounded, and parities add or subtract a unit.
      const float roundings = 2 + 0.5F * static_cast<float>(behind - begin);
      if (!(sum_of(away) * (1 + error_of_sum) + roundings < room_above &&
            sum_of(back) * (1 + error_of_sum) + roundings < room_below)) {
        return i - begin;
      }
    }
    return end - begin;
  }

  /// Adds impacts of a list to `blocks` neighbouring blocks of a level from `cell` on, and also the
  /// `counted` units that were counted in between.
  void count(int level, int cell, int blocks, const OpenImpacts& impacts, int begin, int end,
             float counted, float units) {
    // All blocks come first: reading what one has just written would mean waiting for it.
    const int cells = cells_of_block[level];
    float of_block[parts];
    float *near = memory.shares[level][0], *far = memory.shares[level][1];
    for (int i = begin; i < end; i += lanes) store(near + i, share_at(impacts, i, cell, units));
    blocks = std::min(blocks, (all_cells - cell + cells - 1) / cells);
    for (int i = 0; i < blocks; ++i) {
      of_block[i] = counted + find_open(impacts, begin, end, cell + i * cells, cells, units, near,
                                        far, memory.open[level][i]);
      std::swap(near, far);
    }
    for (int i = 0; i < blocks; ++i) {
      const OpenImpacts& open = memory.open[level][i];
      if (level + 1 < levels) {
        count(level + 1, cell + i * cells, parts, open, 0, open.count, of_block[i], units);
      } else {
        add_in_order(cell + i * cells, open, 0, open.count, of_block[i], units);
      }
    }
  }

  [[gnu::always_inline]] static Indices load_places(const OpenImpacts& impacts, int i) {
    return *reinterpret_cast<const Indices*>(impacts.places + i);
  }
  [[gnu::always_inline]] static Floats share_at(const OpenImpacts& impacts, int i, int cell,
                                                float units) {
    const Indices apart = (load_places(impacts, i) >> 1) - cell;
    return load(impacts.energies + i) * units * roots(apart < 0 ? -apart : apart);
  }
  [[gnu::always_inline]] static Floats roots(Indices apart) {
    const Floats n = __builtin_convertvector(apart + 1, Floats), y = first_reciprocal_roots(n);
    return y * (1.5F - 0.5F * n * y * y);
  }

  /// Counts the impacts that add the same number of units to all cells of a block, and lists the
  /// others. `near` holds the shares at the first cell; `far` receives those at the cell after the
  /// last.
  [[gnu::noinline]] float find_open(const OpenImpacts& impacts, int begin, int end, int cell,
                                    int cells, float units, const float* near, float* far,
                                    OpenImpacts& open) const {
    using Unsigned = Vector<std::uint32_t, bytes>;
    Floats sum = {};
    int count = 0;
    unsigned parity = 0;
    for (int i = begin; i < end; i += lanes) {
      const Floats a = load(near + i), b = share_at(impacts, i, cell + cells, units);
      store(far + i, b);
      // The nearest integers, if they are less than 2^22; impacts with larger ones are open.
      const Floats shift = 0x1.8p23F + Floats{};
      Floats number = (a + shift) - shift;
      const Floats off_a = magnitude(a - number), off_b = magnitude(b - number);
      Floats off = (off_a > off_b ? off_a : off_b) + magnitude(number) * error;
      const auto within = reinterpret_cast<Unsigned>(load_places(impacts, i) - 2 * cell);
      off = within < 2 * static_cast<unsigned>(cells) ? 1 : off;
      const Indices counts = off < 0.5F - error;
      number = counts ? number : 0;
      sum += number;
      // Each bit is the parity of the sum of the numbers up to it; open impacts count as 0.
      unsigned odd = signs(__builtin_convertvector(number, Indices) << 31);
      for (int bits = 1; bits < lanes; bits *= 2) odd ^= odd << bits;
      odd ^= 0 - parity;
      parity = odd >> (lanes - 1) & 1;
      const unsigned opens = signs(~counts);
      copy_open(opens, odd, impacts, i, open, count);
      count += __builtin_popcount(opens);
    }
    open.count = count;
    store(open.energies + count, Floats{});  // whole vectors are read
    return sum_of(sum);
  }

  /// Adds impacts begin .. end-1 of a list, one after another, to the cells of a leaf, and also the
  /// `counted` units between them. Where the rule adds all, nothing is counted and `units` is 1.
  [[gnu::noinline]] void add_in_order(int cell, const OpenImpacts& impacts, int begin, int end,
                                      float counted, float units) {
    constexpr int vectors = leaf_cells / lanes;
    float* const layer = memory.layer + cell;
    alignas(sizeof(Floats)) Floats sum[vectors];
    for (int j = 0; j < vectors; ++j) sum[j] = load(layer + j * lanes) * units;
    float parity = 0;
    for (int i = begin; i < end; ++i) {
      const float energy = impacts.energies[i] * units;
      // This is subtracted: a difference of 0 then leaves a sum of -0 as it is.
      const float before = parity - static_cast<float>(impacts.places[i] & 1);
      parity = static_cast<float>(impacts.places[i] & 1);
      const std::int64_t d = cell - (impacts.places[i] >> 1);
      float computed[leaf_cells];
      const float* divisors = computed;
      if (d >= -table.farthest() && d <= table.farthest() + 1 - leaf_cells) {
        divisors = table.middle() + d;
      } else {
        compute_divisors(d, leaf_cells, computed);
      }
#pragma GCC unroll 8
      for (int j = 0; j < vectors; ++j) {
        sum[j] -= before;
        sum[j] += energy / load(divisors + j * lanes);
      }
    }
    for (int j = 0; j < vectors; ++j)
      store(layer + j * lanes, (sum[j] - (parity - counted)) / units);
  }
};

/// Makes impacts those that are counted next. False if one is too far away from the cells from
/// `first` on.
bool take(std::span<const ScaledImpact> impacts, std::int64_t first, OpenImpacts& given) {
  bool near = true;
  given.count = static_cast<int>(impacts.size());
  for (int i = 0; i < given.count; ++i) {
    const ScaledImpact& impact = impacts[static_cast<std::size_t>(i)];
    const std::int64_t offset = impact.position - first;
    near &= offset > -farthest_offset && offset < farthest_offset;
    given.places[i] = static_cast<std::int32_t>(2 * offset);
    given.energies[i] = impact.energy;
  }
  store(given.energies + given.count, Floats{});  // whole vectors are read
  return near;
}

}  // namespace

}  // namespace bombard::cpu::counting

namespace bombard::cpu {

void update_by_counting(const LayerRule& rule, std::span<const ScaledImpact> impacts,
                        std::int64_t first, const DivisorTable& table, std::span<float> layer,
                        CountingMemory& memory) {
  constexpr int leaf_cells = CountingMemory::fewest_cells;
  while (!layer.empty()) {
    const std::size_t cells = std::min<std::size_t>(CountingMemory::most_cells, layer.size());
    const std::size_t whole = (cells + leaf_cells - 1) / leaf_cells * leaf_cells;
    // The cells after the last one are copies of it.
    std::fill(std::copy_n(layer.data(), cells, memory.layer), memory.layer + whole,
              layer[cells - 1]);
    for (std::span<const ScaledImpact> left = impacts; !left.empty();) {
      const auto some = left.first(std::min<std::size_t>(OpenImpacts::most, left.size()));
      if (counting::take(some, first, memory.given)) {
        counting::Counter{table, static_cast<int>(whole), memory}.add(0, 0, 0, memory.given.count);
      } else {
        update(rule, some, true, first, table, {memory.layer, whole});
      }
      left = left.subspan(some.size());
    }
    std::copy_n(memory.layer, cells, layer.data());
    layer = layer.subspan(cells);
    first += static_cast<std::int64_t>(cells);
  }
}

}  // namespace bombard::cpu
