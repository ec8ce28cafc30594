#include "kernels/layer/vector_loops.hpp"

// Long storms in a few cells (update() of pieces in kernels/layer/update.hpp; docs/methods.md, In
// file order, at once). Between two powers of two floats are evenly spaced: as long as a sum stays
// there, a share adds a whole number of spacings to it, whatever the sum is, ties apart. So shares
// are rounded to spacings side by side and added in any order, and one whose number of spacings is
// the same in the nearest and in the farthest of some cells is known in all of them: first of all
// pieces together, then, of the impacts that this leaves open, of each piece, then of each cell.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

namespace {

// Few enough that little is lost where a sum passes a power of two, and the block goes the usual
// way; enough that what is done once for each block does not matter.
constexpr int block_impacts = 512;
// The sums of a piece lie between so many powers of two at most.
constexpr int most_spacings = 6;

/// Some impacts, whole vectors of them; the last ones may be without energy.
struct Block {
  int count;
  std::int64_t positions[block_impacts];
  float energies[block_impacts];
};

/// False if an energy is below 0.
bool read(const ScaledImpact* impacts, Block& block) {
  float least = 0;
  for (int i = 0; i < block_impacts; ++i) {
    block.positions[i] = impacts[i].position;
    block.energies[i] = impacts[i].energy;
    least = impacts[i].energy < least ? impacts[i].energy : least;
  }
  block.count = block_impacts;
  return least >= 0;
}

/// Of each impact of a block, in the nearest of some cells and in the farthest: a share does not
/// grow with the distance, roundings included, so those in the other cells lie between.
struct Shares {
  float highest[block_impacts], lowest[block_impacts];
};

template <class Law>
void divide(const UpdateWork<Law>& work, const Block& block, const float* distances,
            float* shares) {
  for (int i = 0; i < block.count; ++i) {
    const float share = block.energies[i] / work.law.divisor(distances[i]);
    shares[i] = share >= work.smallest ? share : 0;
  }
}

/// In the cells first .. last.
template <class Law>
void find_shares(const UpdateWork<Law>& work, const Block& block, std::int64_t first,
                 std::int64_t last, Shares& shares) {
  std::int64_t to_nearest[block_impacts], to_farthest[block_impacts];
  for (int i = 0; i < block.count; ++i) {
    const std::int64_t before = first - block.positions[i], behind = block.positions[i] - last;
    const std::int64_t outside = before > behind ? before : behind;
    to_nearest[i] = (outside > 0 ? outside : 0) + 1;
    to_farthest[i] = (before < behind ? -before : -behind) + 1;
  }
  float nearest[block_impacts], farthest[block_impacts];
  for (int i = 0; i < block.count; ++i) nearest[i] = static_cast<float>(to_nearest[i]);
  for (int i = 0; i < block.count; ++i) farthest[i] = static_cast<float>(to_farthest[i]);
  std::int32_t differ = 0;
  for (int i = 0; i < block.count; ++i) differ |= nearest[i] != farthest[i];
  divide(work, block, nearest, shares.highest);
  if (differ != 0) {
    divide(work, block, farthest, shares.lowest);
  } else {
    for (int i = 0; i < block.count; ++i) shares.lowest[i] = shares.highest[i];
  }
}

/// What a block adds to a sum from `base`, a power of two, to twice as much, if it stays there.
struct Steps {
  float base;
  float known;  ///< the same in all cells
  Block open;   ///< the impacts of all else
};

void store(std::int32_t* to, Indices values) {
  *reinterpret_cast<Indices*>(to) = values;
}

/// A share in the middle between two floats is left open: there the order counts.
void find_steps(const Block& block, const Shares& shares, float base, Steps& steps) {
  const float half = base * 0x1p-24F;
  Floats known = {};
  Indices any_open = {};
  std::int32_t is_open[block_impacts];
  for (int i = 0; i < block.count; i += lanes) {
    const Floats highest = load(shares.highest + i);
    const Floats step = (highest + base) - base;
    const Indices same =
        (highest < base) & (highest - step < half) & (load(shares.lowest + i) - step > -half);
    known += same ? step : Floats{};
    any_open |= ~same;
    store(is_open + i, ~same);
  }
  steps.base = base;
  // Sums of whole spacings are exact up to 2 base, and no smaller than that from there on.
  steps.known = sum_of_elements<float, BOMBARD_VECTOR_BYTES>(known);
  bool any = false;
  for (int lane = 0; lane < lanes; ++lane) any |= any_open[lane] != 0;
  int count = 0;
  for (int i = 0; any && i < block.count; ++i) {
    steps.open.positions[count] = block.positions[i];
    steps.open.energies[count] = block.energies[i];
    count += is_open[i] != 0;
  }
  for (; count % lanes != 0; ++count) steps.open.energies[count] = 0;
  steps.open.count = count;
}

/// The steps between the powers of two that have been asked for.
struct AllSteps {
  AllSteps() : count(0) {}  // and the steps as they are

  int count;
  Steps steps[most_spacings];

  /// Null if there are too many.
  template <class Find>
  const Steps* at(float base, const Find& find) {
    for (int s = 0; s < count; ++s) {
      if (steps[s].base == base) return &steps[s];
    }
    if (count == most_spacings) return nullptr;
    find(steps[count]);
    return &steps[count++];
  }
};

/// A block as all pieces together see it.
struct Together {
  explicit Together(const Block& of) : block(of) {}

  const Block& block;
  Shares shares;
  AllSteps steps;
};

/// Adds what is known in a piece, and what is open there, to the sum of a cell. False where the sum
/// does not stay between the powers of two, or the order counts.
template <class Law>
bool add_steps(const UpdateWork<Law>& work, float known_together, const Steps& steps,
               std::int64_t cell, float& sum) {
  const float half = steps.base * 0x1p-24F;
  float added = known_together + steps.known;
  for (int i = 0; i < steps.open.count; ++i) {
    const float n = distance(steps.open.positions[i], cell);
    float share = steps.open.energies[i] / work.law.divisor(n);
    if (share < work.smallest) share = 0;
    const float step = (share + steps.base) - steps.base;
    const float off = share - step;
    if (!(share < steps.base && off < half && off > -half)) return false;
    added += step;
  }
  sum += added;
  return sum < 2 * steps.base;
}

/// The power of two at or below a sum; 0 where none serves.
float base_of(float sum) {
  if (!(sum >= 0x1p-100F && sum < 0x1p100F)) return 0;
  constexpr std::uint32_t exponent = 0x7f800000;
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, sum) & exponent);
}

/// Adds a block of impacts to a piece, or returns false and changes nothing.
template <class Law>
bool add_block(const UpdateWork<Law>& work, Together& together) {
  float sums[small_piece_cells];
  AllSteps of_piece;
  for (std::int64_t k = 0; k < work.cells; ++k) {
    sums[k] = work.layer[k];
    const float base = base_of(sums[k]);
    if (base == 0) return false;
    const Steps* const known = together.steps.at(
        base, [&](Steps& steps) { find_steps(together.block, together.shares, base, steps); });
    if (known == nullptr) return false;
    const Steps* const steps = of_piece.at(base, [&](Steps& found) {
      Shares shares;
      find_shares(work, known->open, work.first, work.first + work.cells - 1, shares);
      find_steps(known->open, shares, base, found);
    });
    if (steps == nullptr) return false;
    if (!add_steps(work, known->known, *steps, work.first + k, sums[k])) return false;
  }
  for (std::int64_t k = 0; k < work.cells; ++k) work.layer[k] = sums[k];
  return true;
}

}  // namespace

template <class Law>
void update_pieces(const UpdateWork<Law>* pieces, std::int64_t count) {
  std::int64_t first = pieces->first, last = first;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t end = pieces[i].first + pieces[i].cells;
    first = pieces[i].first < first ? pieces[i].first : first;
    last = end > last ? end - 1 : last;
  }
  const std::int64_t impacts = pieces->count;
  Block block;
  for (std::int64_t begin = 0; begin < impacts; begin += block_impacts) {
    const bool whole = begin + block_impacts <= impacts;
    Together together(block);
    const bool serves = whole && read(pieces->impacts + begin, block);
    if (serves) find_shares(*pieces, block, first, last, together.shares);
    for (std::int64_t i = 0; i < count; ++i) {
      if (serves && add_block(pieces[i], together)) continue;
      UpdateWork<Law> rest = pieces[i];
      rest.impacts += begin;
      rest.count = whole ? block_impacts : impacts - begin;
      update(rest);
    }
  }
}
template void update_pieces(const UpdateWork<SquareRootLaw>*, std::int64_t);
template void update_pieces(const UpdateWork<GeneralLaw>*, std::int64_t);

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
