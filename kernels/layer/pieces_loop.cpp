#include "kernels/layer/cell_range.hpp"
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
// So many neighbouring pieces are taken together: of more, more impacts are left open.
constexpr std::int64_t pieces_together = 32;
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
void divide(const UpdateWork<Law>& work, const float* energies, const float* distances, int count,
            float* shares) {
  for (int i = 0; i < count; ++i) {
    const float share = energies[i] / work.law.divisor(distances[i]);
    shares[i] = share >= work.smallest ? share : 0;
  }
}

template <class Law>
void find_shares(const UpdateWork<Law>& work, const Block& block, const CellRange& cells,
                 Shares& shares) {
  const std::int64_t first = cells.begin, last = cells.end - 1;
  const int count = block.count;
  std::int64_t to_nearest[block_impacts], to_farthest[block_impacts];
  for (int i = 0; i < count; ++i) {
    const std::int64_t before = first - block.positions[i], behind = block.positions[i] - last;
    const std::int64_t outside = before > behind ? before : behind;
    to_nearest[i] = (outside > 0 ? outside : 0) + 1;
    to_farthest[i] = (before < behind ? -before : -behind) + 1;
  }
  float nearest[block_impacts], farthest[block_impacts];
  for (int i = 0; i < count; ++i) nearest[i] = static_cast<float>(to_nearest[i]);
  for (int i = 0; i < count; ++i) farthest[i] = static_cast<float>(to_farthest[i]);
  std::int32_t differ = 0;
  for (int i = 0; i < count; ++i) differ |= nearest[i] != farthest[i];
  divide(work, block.energies, nearest, count, shares.highest);
  if (differ != 0) {
    divide(work, block.energies, farthest, count, shares.lowest);
  } else {
    for (int i = 0; i < count; ++i) shares.lowest[i] = shares.highest[i];
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

/// Of as many flags as a vector has lanes, 0 or -1.
bool any_of(const std::int32_t* flags) {
  std::int32_t any = 0;
  for (int lane = 0; lane < lanes; ++lane) any |= flags[lane];
  return any != 0;
}

/// A share in the middle between two floats is left open: there the order counts.
void find_steps(const Block& block, const Shares& shares, float base, Steps& steps) {
  const float half = base * 0x1p-24F;
  Floats known = {};
  std::int32_t is_open[block_impacts];
  for (int i = 0; i < block.count; i += lanes) {
    const Floats highest = load(shares.highest + i);
    const Floats step = (highest + base) - base;
    const Indices same =
        (highest < base) & (highest - step < half) & (load(shares.lowest + i) - step > -half);
    known += same ? step : Floats{};
    store(is_open + i, ~same);
  }
  steps.base = base;
  // Sums of whole spacings are exact up to 2 base, and no smaller than that from there on.
  steps.known = sum_of_elements<float, BOMBARD_VECTOR_BYTES>(known);
  int count = 0;
  for (int i = 0; i < block.count; i += lanes) {
    if (!any_of(is_open + i)) continue;
    for (int lane = i; lane < i + lanes; ++lane) {
      steps.open.positions[count] = block.positions[lane];
      steps.open.energies[count] = block.energies[lane];
      count += is_open[lane] != 0;
    }
  }
  for (; count % lanes != 0; ++count) {
    steps.open.positions[count] = 0;
    steps.open.energies[count] = 0;
  }
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
  const Block* block;
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
        base, [&](Steps& steps) { find_steps(*together.block, together.shares, base, steps); });
    if (known == nullptr) return false;
    const Steps* const steps = of_piece.at(base, [&](Steps& found) {
      Shares shares;
      find_shares(work, known->open, {work.first, work.first + work.cells}, shares);
      find_steps(known->open, shares, base, found);
    });
    if (steps == nullptr) return false;
    if (!add_steps(work, known->known, *steps, work.first + k, sums[k])) return false;
  }
  for (std::int64_t k = 0; k < work.cells; ++k) work.layer[k] = sums[k];
  return true;
}

/// The cells that all of some pieces lie among, first and last.
template <class Law>
CellRange cells_of(const UpdateWork<Law>* pieces, std::int64_t count) {
  CellRange cells{pieces->first, pieces->first + 1};
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t end = pieces[i].first + pieces[i].cells;
    cells.begin = pieces[i].first < cells.begin ? pieces[i].first : cells.begin;
    cells.end = end > cells.end ? end : cells.end;
  }
  return cells;
}

/// Adds the impacts from number `begin` on, a whole block of which `block` holds, or, if it holds
/// none, the last few, to pieces that are taken together.
template <class Law>
void add_together(const UpdateWork<Law>* pieces, std::int64_t count, std::int64_t begin,
                  const Block* block) {
  Together together;
  if (block != nullptr) {
    together.block = block;
    find_shares(*pieces, *block, cells_of(pieces, count), together.shares);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if (block != nullptr && add_block(pieces[i], together)) continue;
    UpdateWork<Law> rest = pieces[i];
    const std::int64_t left = rest.count - begin;
    rest.impacts += begin;
    rest.count = left < block_impacts ? left : block_impacts;
    update(rest);
  }
}

}  // namespace

template <class Law>
void update_pieces(const UpdateWork<Law>* pieces, std::int64_t count) {
  Block block;
  for (std::int64_t begin = 0; begin < pieces->count; begin += block_impacts) {
    const bool whole = begin + block_impacts <= pieces->count;
    const bool serves = whole && read(pieces->impacts + begin, block);
    for (std::int64_t i = 0; i < count; i += pieces_together) {
      const std::int64_t left = count - i;
      add_together(pieces + i, left < pieces_together ? left : pieces_together, begin,
                   serves ? &block : nullptr);
    }
  }
}
template void update_pieces(const UpdateWork<SquareRootLaw>*, std::int64_t);
template void update_pieces(const UpdateWork<GeneralLaw>*, std::int64_t);

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
