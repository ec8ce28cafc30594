#include <algorithm>
#include <utility>

#include BOMBARD_OPEN_IMPACTS
#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/computed_divisors.hpp"

// Counting (docs/methods.md, Counting). Between two powers of two, a binade, floats are evenly
// spaced by a unit u. A share adds a whole number of units to a sum that stays in its binade, and
// the number does not depend on the sum, ties apart. Shares never grow with the distance, so an
// impact that adds the same number at both ends of a block of cells, and is far from a tie there,
// adds it to every cell of the block: it is counted once for all of them. The others are open:
// asked again for the quarters of the block, and added by the rule to the 16 cells of the smallest
// blocks. There the sum is the rule's at each open impact, for each knows what was counted before.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

namespace {

using Work = UpdateWork<SquareRootLaw>;

constexpr int parts = CountingMemory::parts, levels = CountingMemory::levels;
constexpr auto leaf_cells = static_cast<int>(CountingMemory::fewest_cells);
constexpr int most_cells = 4096;
constexpr int leaves = most_cells / leaf_cells;
static_assert(leaf_cells << 2 * (levels - 1) == most_cells && parts == 4);
// Where a block of fewer impacts cannot be counted, the rule adds them: it takes no longer.
constexpr std::int64_t fewest_impacts = 128;
// How far a number of units may be off that nearly_shares() gives, as a part of it: 2^-20, half of
// 3 roundings of the distance, the 2.5 of the rule's share (SquareRootLaw), in all less than 2^-19.
// (Shares below the normal numbers are off by 2^-150 besides, in units less than 2^-27.)
constexpr float error = 0x1p-19F;

[[gnu::always_inline]] inline Floats magnitude(Floats values) {
  return reinterpret_cast<Floats>(reinterpret_cast<Indices>(values) & 0x7fffffff);
}
[[gnu::always_inline]] inline Floats smaller(Floats a, Floats b) {
  return a < b ? a : b;
}
[[gnu::always_inline]] inline Floats larger(Floats a, Floats b) {
  return a > b ? a : b;
}

/// The nearest integers, where they are less than 2^22.
[[gnu::always_inline]] inline Floats to_integers(Floats values) {
  const Floats shift = 0x1.8p23F + Floats{};
  return (values + shift) - shift;
}

template <std::size_t by, std::size_t... i>
[[gnu::always_inline]] inline Floats moved_up(Floats values, std::index_sequence<i...>) {
  return __builtin_shufflevector(Floats{}, values, (i < by ? i : lanes + i - by)...);
}

/// In each lane the sum of the lanes up to it.
[[gnu::always_inline]] inline Floats running_sums(Floats values) {
  constexpr auto all = std::make_index_sequence<lanes>();
  values += moved_up<1>(values, all);
  values += moved_up<2>(values, all);
  if constexpr (lanes > 4) values += moved_up<4>(values, all);
  if constexpr (lanes > 8) values += moved_up<8>(values, all);
  return values;
}

[[gnu::always_inline]] inline float sum_of(Floats values) {
  return sum_of_elements<float, BOMBARD_VECTOR_BYTES>(values);
}

bool all_of(Indices flags) {
  std::int32_t all = -1;
  for (int lane = 0; lane < lanes; ++lane) all &= flags[lane];
  return all != 0;
}

/// Numbers of units that were counted: their sum, and the sums of those above 0 and below.
struct Counted {
  float sum = 0, up = 0, down = 0;
};

/// The power of two that begins the binade of all of some sums, which have one sign; 0 without one,
/// or where units would be no normal numbers.
float common_binade(const float* sums, std::int64_t cells) {
  constexpr std::uint32_t exponent = 0x7f800000;
  const float sign = sums[0] < 0 ? -1.0F : 1.0F;
  const float first = sums[0] * sign;
  if (!(first >= 0x1p-100F && first < 0x1p100F)) return 0;
  const auto binade =
      __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, first) & exponent);
  Indices within = ~Indices{};
  for (std::int64_t k = 0; k < cells; k += lanes) {
    const Floats sum = load(sums + k) * sign;
    within &= (sum >= binade) & (sum < 2 * binade);
  }
  return all_of(within) ? binade : 0;
}

/// A part of the cells and of the impacts of an update.
Work part_of(const Work& work, const CellRange& cells, const CellRange& impacts) {
  Work part = work;
  part.impacts += impacts.begin;
  part.count = impacts.count();
  part.first += cells.begin;
  part.layer += cells.begin;
  part.cells = cells.count();
  part.counting = nullptr;
  return part;
}

/// Adds impacts, OpenImpacts::most at most, to whole vectors of cells, `most_cells` at most.
template <bool every_share_counts>
class Counter {
 public:
  Counter(const Work& work, CountingMemory& memory) : work_(work), memory_(memory) {}

  void count() {
    // Few cells need no large block.
    int level = 0;
    CellRange block{0, most_cells};
    while (level < levels - 2 && block.end / parts >= work_.cells) {
      block.end /= parts;
      ++level;
    }
    OpenImpacts& all = memory_.open[level][0];
    for (int i = 0; i < work_.count; ++i) {
      all.offsets[i] = static_cast<float>(work_.impacts[i].position - work_.first);
      all.energies[i] = work_.impacts[i].energy;
      all.units_before[i] = 0;
      all.numbers[i] = i;
    }
    end_list(all, static_cast<int>(work_.count));
    count(level, block, all, {}, 0);
  }

  /// Leaves whose cells are as they were: the sums did not stay in a binade.
  const bool* left() const { return left_; }

 private:
  /// Those beyond the last one are without energy.
  static void end_list(OpenImpacts& list, int count) {
    list.count = count;
    store(list.offsets + count, Floats{});
    store(list.energies + count, Floats{});
    store(list.units_before + count, Floats{});
    for (int lane = 0; lane < lanes; ++lane) list.numbers[count + lane] = 0;
  }

  [[gnu::always_inline]] Floats shares_in_units(const OpenImpacts& impacts, int i, float cell,
                                                float units) const {
    return nearly_shares(load(impacts.energies + i) * units,
                         magnitude(load(impacts.offsets + i) - cell) + 1.0F);
  }

  /// The impacts in a block, of which others have been counted. `binade` is that of the block's
  /// cells, if it is known.
  void count(int level, const CellRange& block, const OpenImpacts& impacts, const Counted& counted,
             float binade) {
    const CellRange cells{block.begin, std::min(block.end, work_.cells)};
    if (cells.count() <= 0) return;
    if (binade == 0) binade = common_binade(work_.layer + cells.begin, cells.count());
    if (level == levels - 1) {
      left_[cells.begin / leaf_cells] =
          binade == 0 || !add_open(cells.begin, impacts, counted, binade);
      return;
    }
    const std::int64_t width = block.count() / parts;
    const auto part = [&](int i) {
      return CellRange{block.begin + i * width, block.begin + (i + 1) * width};
    };
    if (binade == 0) {
      for (int i = 0; i < parts; ++i) count(level + 1, part(i), impacts, counted, 0);
      return;
    }
    // All parts first: what one has just written would have to be waited for.
    Counted of_part[parts];
    float* near = memory_.shares[level][0];
    float* far = memory_.shares[level][1];
    const float units = 0x1p23F / binade;
    for (int i = 0; i < impacts.count; i += lanes) {
      store(near + i, shares_in_units(impacts, i, static_cast<float>(block.begin), units));
    }
    for (int i = 0; i < parts && part(i).begin < cells.end; ++i) {
      of_part[i] = find_open(impacts, part(i), units, near, far, memory_.open[level + 1][i]);
      of_part[i].sum += counted.sum;
      of_part[i].up += counted.up;
      of_part[i].down += counted.down;
      std::swap(near, far);
    }
    for (int i = 0; i < parts && part(i).begin < cells.end; ++i) {
      count(level + 1, part(i), memory_.open[level + 1][i], of_part[i], binade);
    }
  }

  /// Counts the impacts that add the same number of units in all of some cells, and lists the
  /// others. `near` has the shares at the first cell; `far` takes those at the cell behind the
  /// last.
  [[gnu::noinline]] Counted find_open(const OpenImpacts& impacts, const CellRange& cells,
                                      float units, const float* near, float* far,
                                      OpenImpacts& open) const {
    const auto begin = static_cast<float>(cells.begin), end = static_cast<float>(cells.end);
    const float smallest = work_.smallest * units;
    Floats up = {}, down = {};
    float before = 0;
    int count = 0;
    for (int i = 0; i < impacts.count; i += lanes) {
      const Floats a = load(near + i), b = shares_in_units(impacts, i, end, units);
      store(far + i, b);
      const Floats position = load(impacts.offsets + i);
      Floats number = to_integers(a);
      const Floats off = larger(magnitude(a - number), magnitude(b - number));
      Indices same = (off < (0.5F - error) - magnitude(number) * error) &
                     ((position <= begin) | (position >= end));
      if constexpr (!every_share_counts) {
        const Floats highest = larger(magnitude(a), magnitude(b));
        const Floats lowest = smaller(magnitude(a), magnitude(b));
        const Indices none = highest * (1 + error) < smallest;
        number = none ? Floats{} : number;
        same &= none | (lowest * (1 - error) >= smallest) | (number == 0.0F);
      }
      const Floats added = same ? number : Floats{};
      up += larger(added, Floats{});
      down += smaller(added, Floats{});
      const Floats sums = running_sums(added);
      count =
          append(~same, impacts, i, load(impacts.units_before + i) + before + sums, open, count);
      before += sums[lanes - 1];
    }
    end_list(open, count);
    return {before, sum_of(up), sum_of(down)};
  }

  /// Adds what was counted, and the open impacts by the rule, to the cells of a leaf. False, and
  /// nothing is added, where a sum may leave its binade on the way.
  [[gnu::noinline]] bool add_open(std::int64_t cell, const OpenImpacts& impacts,
                                  const Counted& counted, float binade) {
    constexpr int vectors = leaf_cells / lanes;
    const float unit = binade * 0x1p-23F;
    float* const layer = work_.layer + cell;
    alignas(sizeof(Floats)) Floats sum[vectors];
    Floats lowest[vectors], highest[vectors];
    for (int j = 0; j < vectors; ++j) {
      sum[j] = lowest[j] = highest[j] = load(layer + j * lanes);
    }
    float units_before = 0;
    for (int i = 0; i < impacts.count; ++i) {
      const ScaledImpact& impact = work_.impacts[impacts.numbers[i]];
      const std::int64_t d = work_.first + cell - impact.position;
      const float since = (impacts.units_before[i] - units_before) * unit;
      units_before = impacts.units_before[i];
      float computed[leaf_cells];
      const float* divisors = computed;
      if (d >= -work_.farthest_divisor && d <= work_.farthest_divisor + 1 - leaf_cells) {
        divisors = work_.divisors + d;
      } else {
        compute_divisors(work_.law, d, leaf_cells, computed);
      }
      for (int j = 0; j < vectors; ++j) {
        Floats share = impact.energy / load(divisors + j * lanes);
        if constexpr (!every_share_counts) {
          share = magnitude(share) >= work_.smallest ? share : Floats{};
        }
        sum[j] = (sum[j] + since) + share;
        lowest[j] = smaller(lowest[j], sum[j]);
        highest[j] = larger(highest[j], sum[j]);
      }
    }
    // A sum that a share takes nearer to 0 has to stay a unit from the binade's end: beyond it
    // units are half as large.
    Indices within = ~Indices{};
    const float up = counted.up * unit, down = counted.down * unit;
    const bool below_0 = layer[0] < 0;
    for (int j = 0; j < vectors; ++j) {
      const Floats high = highest[j] + up, low = lowest[j] + down;
      within &=
          below_0 ? (low > -2 * binade) & (high < -binade) : (high < 2 * binade) & (low > binade);
    }
    if (!all_of(within)) return false;
    const float since = (counted.sum - units_before) * unit;
    for (int j = 0; j < vectors; ++j) store(layer + j * lanes, sum[j] + since);
    return true;
  }

  const Work& work_;
  CountingMemory& memory_;
  bool left_[leaves] = {};
};

/// Counts what can be counted; the leaves where sums leave their binade are counted in four steps,
/// and those again.
template <bool every_share_counts>
void count_or_add(const Work& work, CountingMemory& memory) {
  if (work.count < fewest_impacts) return update(work);
  Counter<every_share_counts> counter(work, memory);
  counter.count();
  const std::int64_t last = work.cells / leaf_cells;
  const std::int64_t step = (work.count + parts - 1) / parts;
  for (std::int64_t leaf = 0; leaf < last; ++leaf) {
    const std::int64_t begin = leaf;
    while (leaf < last && counter.left()[leaf]) ++leaf;
    if (leaf == begin) continue;
    for (std::int64_t i = 0; i < work.count; i += step) {
      count_or_add<every_share_counts>(part_of(work, {begin * leaf_cells, leaf * leaf_cells},
                                               {i, std::min(i + step, work.count)}),
                                       memory);
    }
  }
}

}  // namespace

void update_by_counting(const UpdateWork<SquareRootLaw>& work) {
  CountingMemory& memory = *work.counting;
  const std::int64_t counted = work.cells / leaf_cells * leaf_cells;
  if (counted < work.cells) update(part_of(work, {counted, work.cells}, {0, work.count}));
  for (std::int64_t k = 0; k < counted; k += most_cells) {
    const CellRange cells{k, std::min<std::int64_t>(k + most_cells, counted)};
    for (std::int64_t i = 0; i < work.count; i += OpenImpacts::most) {
      const auto some =
          part_of(work, cells, {i, std::min<std::int64_t>(i + OpenImpacts::most, work.count)});
      if (work.every_share_counts) {
        count_or_add<true>(some, memory);
      } else {
        count_or_add<false>(some, memory);
      }
    }
  }
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
