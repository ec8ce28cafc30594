#include <algorithm>
#include <span>
#include <utility>

#include BOMBARD_OPEN_IMPACTS
#include "kernels/layer/cell_range.hpp"
#include "kernels/share/computed_divisors.hpp"

// Counting (docs/methods.md, Counting). Between two powers of two, a binade, floats are evenly
// spaced by a unit. A share adds a whole number of units to a sum that stays in its binade, and the
// number does not depend on the sum, ties apart. Shares never grow with the distance, so an impact
// that adds the same number at both ends of a block of cells, and is far from a tie there, adds it
// to every cell of the block: it is counted once for all of them. The others are open: asked again
// for the parts of the block, and added by the rule, in file order, to the cells of the smallest
// blocks. A tie goes to the even neighbour, so each open impact knows whether an odd number of
// units was counted before it.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

namespace {

using Work = UpdateWork<SquareRootLaw>;

constexpr int parts = CountingMemory::parts, levels = CountingMemory::levels;
constexpr int leaf_cells = CountingMemory::fewest_cells;
constexpr int most_cells = CountingMemory::most_cells;
static_assert(leaf_cells * parts * parts * parts == most_cells && levels == 4);

// A block that cannot take more impacts leaves these to its parts, and the smallest these to the
// rule (docs/journal.md, Counting).
constexpr int impacts_for_parts = 512, impacts_for_rule = 128;
// The error of a number of units from nearly_shares(), as a part of it: its 5.5 roundings, half a
// rounding of the distance, and the 2.5 of the rule's share (SquareRootLaw), in all less than
// 2^-20. (Shares below the normal numbers are off by 2^-150 besides, in units less than 2^-27.)
constexpr float error = 0x1p-20F;
// The error and the roundings of a sum of 4096 shares, 256 in a lane.
constexpr float error_of_sum = 0x1p-10F;
// Offsets, and distances between them, are 32-bit integers.
constexpr std::int64_t farthest_offset = std::int64_t{1} << 29;
// The divisors are fetched this number of open impacts ahead.
constexpr int ahead = 16;

[[gnu::always_inline]] inline Indices load_integers(const std::int32_t* from) {
  return *reinterpret_cast<const Indices*>(from);
}
[[gnu::always_inline]] inline Floats smaller(Floats a, Floats b) {
  return a < b ? a : b;
}
[[gnu::always_inline]] inline Floats larger(Floats a, Floats b) {
  return a > b ? a : b;
}
[[gnu::always_inline]] inline Floats magnitude(Floats values) {
  return reinterpret_cast<Floats>(reinterpret_cast<Indices>(values) & 0x7fffffff);
}
[[gnu::always_inline]] inline float sum_of(Floats values) {
  return sum_of_elements<float, BOMBARD_VECTOR_BYTES>(values);
}

/// The vector behind the last impact is without energy.
void end_list(OpenImpacts& list, int count) {
  list.count = count;
  store(list.energies + count, Floats{});
}

/// The binade of the sum nearest to 0 in a block, and where all sums lie.
struct Binade {
  float unit = 0;                 ///< 0: none has a normal number for its unit
  float lowest = 0, highest = 0;  ///< in units; in the binade if holds(0, 0)

  explicit Binade(std::span<const float> sums) {
    Floats low = *sums.data() + Floats{}, high = low;  // no weak function of std::span's
    for (std::size_t k = 0; k < sums.size(); k += lanes) {
      low = smaller(low, load(sums.data() + k));
      high = larger(high, load(sums.data() + k));
    }
    lowest = low[0];
    highest = high[0];
    for (int i = 1; i < lanes; ++i) {
      lowest = std::min(lowest, low[i]);
      highest = std::max(highest, high[i]);
    }
    const float nearest = lowest < 0 ? -highest : lowest;
    if (!(nearest >= 0x1p-100F && nearest < 0x1p100F)) return;
    constexpr std::uint32_t exponent = 0x7f800000;
    const auto begin =
        __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, nearest) & exponent);
    lowest *= 0x1p23F / begin;
    highest *= 0x1p23F / begin;
    unit = begin * 0x1p-23F;
  }

  /// Whether no sum leaves the binade, in any order of impacts that add at most `up` units and take
  /// away at most `down`. (A sum stays above the binade's lower end: beyond it units are half as
  /// large.)
  bool holds(float up, float down) const {
    const float low = lowest - down, high = highest + up;
    return lowest < 0 ? low > -0x1p24F && high < -0x1p23F : low > 0x1p23F && high < 0x1p24F;
  }
};

/// Adds `given` impacts to the cells of a layer.
template <bool every_share_counts>
class Counter {
 public:
  Counter(const Work& work, CountingMemory& memory) : work_(work), memory_(memory) {}

  /// Adds impacts begin .. end-1 to a block, or what the layer has of it.
  void add(int level, const CellRange& block, int begin, int end) {
    const CellRange cells{block.begin, std::min(block.end, work_.cells)};
    if (cells.count() <= 0) return;
    while (begin < end) {
      const Binade binade({work_.layer + cells.begin, static_cast<std::size_t>(cells.count())});
      int taken = binade.unit > 0 ? list(cells, binade, begin, end) : 0;
      if (taken >= std::min(end - begin, impacts_for_rule)) {
        OpenImpacts& open = memory_.open[level][0];
        float *near = memory_.shares[level][0], *far = memory_.shares[level][1];
        estimate(memory_.listed, block.begin, near);
        const float counted = find_open(memory_.listed, block, binade.unit, near, far, open);
        count(level, block, open, counted, binade.unit);
      } else if (level + 1 < levels) {
        taken = std::min(end - begin, impacts_for_parts);
        for (int i = 0; i < parts; ++i) add(level + 1, part_of(block, i), begin, begin + taken);
      } else {
        taken = std::min(end - begin, impacts_for_rule);
        add_in_order<true>(cells.begin, memory_.given, begin, begin + taken, 0, 1);
      }
      begin += taken;
    }
  }

 private:
  static CellRange part_of(const CellRange& block, int i) {
    const std::int64_t width = block.count() / parts;
    return {block.begin + i * width, block.begin + (i + 1) * width};
  }

  /// Lists impacts from `begin` on, in units, as long as they cannot take a sum out of its binade:
  /// a multiple of impacts_for_rule, or all. Returns their number.
  int list(const CellRange& cells, const Binade& binade, int begin, int end) {
    const auto first = static_cast<std::int32_t>(cells.begin);
    const auto last = static_cast<std::int32_t>(cells.end - 1);
    const float units = 1 / binade.unit;
    OpenImpacts& listed = memory_.listed;
    Floats up = {}, down = {};
    int taken = 0;
    for (int i = 0; begin + i < end; i += lanes) {
      const Indices offset = load_integers(memory_.given.offsets + begin + i);
      const Indices before = first - offset, behind = offset - last;
      Indices apart = before > behind ? before : behind;
      apart = apart > 0 ? apart : Indices{};
      const Floats energy = load(memory_.given.energies + begin + i) * units;
      *reinterpret_cast<Indices*>(listed.offsets + i) = offset;
      store(listed.energies + i, energy);
      store(listed.parities + i, Floats{});
      const Floats share = nearly_shares(energy, apart + 1);
      up += larger(share, Floats{});
      down -= smaller(share, Floats{});
      const int so_far = std::min(i + lanes, end - begin);
      if (so_far % impacts_for_rule != 0 && begin + so_far < end) continue;
      // Each number of units is rounded, and parities add a unit or take it away.
      const float roundings = 2 + 0.5F * static_cast<float>(so_far);
      if (!binade.holds(sum_of(up) * (1 + error_of_sum) + roundings,
                        sum_of(down) * (1 + error_of_sum) + roundings)) {
        break;
      }
      taken = so_far;
    }
    end_list(listed, taken);
    return taken;
  }

  static void estimate(const OpenImpacts& impacts, std::int64_t cell, float* shares) {
    for (int i = 0; i < impacts.count; i += lanes) store(shares + i, share_at(impacts, i, cell));
  }

  [[gnu::always_inline]] static Floats share_at(const OpenImpacts& impacts, int i,
                                                std::int64_t cell) {
    const Indices apart = load_integers(impacts.offsets + i) - static_cast<std::int32_t>(cell);
    return nearly_shares(load(impacts.energies + i), (apart < 0 ? -apart : apart) + 1);
  }

  /// Adds open impacts to a block, and so many units that were counted.
  void count(int level, const CellRange& block, const OpenImpacts& impacts, float counted,
             float unit) {
    if (level == levels - 1) {
      return add_in_order<false>(block.begin, impacts, 0, impacts.count, counted, unit);
    }
    // All parts first: what one has just written would have to be waited for.
    float of_part[parts];
    float *near = memory_.shares[level][0], *far = memory_.shares[level][1];
    estimate(impacts, block.begin, near);
    int used = 0;
    for (; used < parts && part_of(block, used).begin < work_.cells; ++used) {
      of_part[used] = counted + find_open(impacts, part_of(block, used), unit, near, far,
                                          memory_.open[level + 1][used]);
      std::swap(near, far);
    }
    for (int i = 0; i < used; ++i) {
      count(level + 1, part_of(block, i), memory_.open[level + 1][i], of_part[i], unit);
    }
  }

  /// Counts the impacts that add the same number of units to all cells of a block, and lists the
  /// others. `near` has the shares at the first cell; `far` takes those at the cell behind the
  /// last.
  [[gnu::noinline]] float find_open(const OpenImpacts& impacts, const CellRange& block, float unit,
                                    const float* near, float* far, OpenImpacts& open) const {
    const auto begin = static_cast<std::int32_t>(block.begin);
    const auto cells = static_cast<std::int32_t>(block.count());
    const float smallest = work_.smallest / unit;
    Floats sum = {};
    int count = 0;
    unsigned parity = 0;
    for (int i = 0; i < impacts.count; i += lanes) {
      const Floats a = load(near + i), b = share_at(impacts, i, block.end);
      store(far + i, b);
      Floats number = rounded(a);
      const Floats off = larger_magnitude(a - number, b - number);
      Mask same = less(off, (0.5F - error) - magnitude(number) * error) &
                  ~within(load_integers(impacts.offsets + i) - begin, cells);
      if constexpr (!every_share_counts) {
        const Mask none = less(larger_magnitude(a, b) * (1 + error), smallest + Floats{});
        const Mask all =
            less(smallest + Floats{}, smaller(magnitude(a), magnitude(b)) * (1 - error));
        number = only(~none, number);
        same &= none | all;
      }
      number = only(same, number);
      sum += number;
      count = append(same, number, impacts, i, open, count, parity);
    }
    end_list(open, count);
    return sum_of(sum);
  }

  /// Adds impacts begin .. end-1, one after another, to the cells of a leaf; with units counted
  /// between them, or by the rule alone.
  template <bool by_rule>
  [[gnu::noinline]] void add_in_order(std::int64_t cell, const OpenImpacts& impacts, int begin,
                                      int end, float counted, float unit) {
    constexpr int vectors = leaf_cells / lanes;
    float* const layer = work_.layer + cell;
    const float units = 1 / unit, smallest = work_.smallest * units;
    const auto in_table = [&](std::int64_t d) {
      return d >= -work_.farthest_divisor && d <= work_.farthest_divisor + 1 - leaf_cells;
    };
    alignas(sizeof(Floats)) Floats sum[vectors];
    for (int j = 0; j < vectors; ++j) sum[j] = load(layer + j * lanes) * units;
    float parity = 0;
    for (int i = begin; i < end; ++i) {
      const float energy = impacts.energies[i];
      float since = 0;
      if constexpr (!by_rule) {
        since = impacts.parities[i] - parity;
        parity = impacts.parities[i];
      }
      const std::int64_t d = cell - impacts.offsets[i];
      const std::int64_t coming = cell - impacts.offsets[std::min(i + ahead, end - 1)];
      float computed[leaf_cells];
      const float* divisors = computed;
      if (in_table(d)) {
        divisors = work_.divisors + d;
        const float* const fetched = in_table(coming) ? work_.divisors + coming : divisors;
        __builtin_prefetch(fetched);
        __builtin_prefetch(fetched + leaf_cells / 2);
        __builtin_prefetch(fetched + leaf_cells - 1);
      } else {
        compute_divisors(work_.law, d, leaf_cells, computed);
      }
#pragma GCC unroll 8
      for (int j = 0; j < vectors; ++j) {
        Floats share = energy / load(divisors + j * lanes);
        if constexpr (!every_share_counts) {
          share = magnitude(share) >= smallest ? share : Floats{};
        }
        if constexpr (!by_rule) sum[j] += since;
        sum[j] += share;
      }
    }
    for (int j = 0; j < vectors; ++j) {
      if constexpr (!by_rule) sum[j] += counted - parity;
      store(layer + j * lanes, sum[j] * unit);
    }
  }

  const Work& work_;
  CountingMemory& memory_;
};

/// Adds `most` impacts at most to `most_cells` at most, whole leaves.
void count_some(const Work& work, CountingMemory& memory) {
  bool near = true;
  for (int i = 0; i < work.count; ++i) {
    const std::int64_t offset = work.impacts[i].position - work.first;
    near &= offset > -farthest_offset && offset < farthest_offset;
    memory.given.offsets[i] = static_cast<std::int32_t>(offset);
    memory.given.energies[i] = work.impacts[i].energy;
  }
  if (!near) return update(work);
  const auto count = static_cast<int>(work.count);
  end_list(memory.given, count);
  if (work.every_share_counts) {
    Counter<true>(work, memory).add(0, {0, most_cells}, 0, count);
  } else {
    Counter<false>(work, memory).add(0, {0, most_cells}, 0, count);
  }
}

}  // namespace

void update_by_counting(const Work& work) {
  CountingMemory& memory = *work.counting;
  for (std::int64_t k = 0; k < work.cells; k += most_cells) {
    const std::int64_t cells = std::min<std::int64_t>(most_cells, work.cells - k);
    Work some = work;
    some.first += k;
    some.layer = memory.layer;
    some.counting = nullptr;
    some.cells = (cells + leaf_cells - 1) / leaf_cells * leaf_cells;
    // Cells behind the last one are as it is.
    std::fill(std::copy_n(work.layer + k, cells, memory.layer), memory.layer + some.cells,
              work.layer[k + cells - 1]);
    for (std::int64_t i = 0; i < work.count; i += some.count) {
      some.impacts = work.impacts + i;
      some.count = std::min<std::int64_t>(OpenImpacts::most, work.count - i);
      count_some(some, memory);
    }
    std::copy_n(memory.layer, cells, work.layer + k);
  }
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
