#include BOMBARD_SHARE_BOUNDS
#include "kernels/layer/cell_range.hpp"
#include "kernels/layer/vector_loops.hpp"

// Long storms in a few cells (update() of pieces in kernels/layer/update.hpp; docs/methods.md, In
// file order, at once). Between two powers of two floats are evenly spaced: as long as a sum stays
// there, a share adds a whole number of spacings to it, whatever the sum is, ties apart. So shares
// are rounded to spacings side by side and added in any order, and one whose number of spacings is
// the same in the nearest and in the farthest of some cells is known in all of them: first of many
// pieces, then, of the impacts that this leaves open, of fewer and fewer, at last of each cell.
// Where a sum passes a power of two, the block of impacts is cut into shorter ones.

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

namespace {

// Measured, as are the numbers of PiecesMemory, with 1e5 and 1e6 impacts on 1e15 cells.
// Pieces go together in so many groups, those of a group in as many again.
constexpr int groups = 4;
// The sums of all pieces lie between so many powers of two at most.
constexpr int most_bases = 8;

// Of long lists so many impacts tell whether most are open.
constexpr int sample = 32;

int whole_vectors(int count) {
  return (count + lanes - 1) / lanes * lanes;
}

/// Some impacts, whole vectors of them; the last ones may be without energy.
struct Impacts {
  int count;
  std::int64_t* positions;
  float* energies;
};

/// What some impacts add, in some cells, to a sum from a power of two to twice as much, if it stays
/// there.
struct Steps {
  float known;   ///< those that add the same in all the cells
  Impacts open;  ///< all else
};

/// Of as many flags as a vector has lanes, 0 or -1.
bool any_of(Indices flags) {
  std::int32_t any = 0;
  for (int lane = 0; lane < lanes; ++lane) any |= flags[lane];
  return any != 0;
}

/// Of impacts in some cells, for sums from `base`; `open` has room for all of them. A share in the
/// middle between two floats is left open: there the order counts. With a tolerance the highest
/// share stands for all of them.
template <class Law>
Steps find_steps(const UpdateWork<Law>& work, const Impacts& impacts, const CellRange& cells,
                 float base, Impacts open) {
  const float half = base * 0x1p-24F;
  Floats known = {};
  int count = 0;
  for (int i = 0; i < impacts.count; i += lanes) {
    const auto [highest, lowest] =
        share_bounds(work, impacts.positions + i, impacts.energies + i, cells);
    const Floats step = (highest + base) - base;
    const Indices near = (lowest - step > -half) | (highest - lowest <= work.share_tolerance);
    const Indices same = (highest < base) & (highest - step < half) & near;
    known += same ? step : Floats{};
    count = append(~same, impacts.positions + i, impacts.energies + i, open.positions,
                   open.energies, count);
  }
  for (int i = count; i < count + lanes; ++i) {
    open.positions[i] = 0;
    open.energies[i] = 0;
  }
  open.count = whole_vectors(count);
  // Sums of whole spacings are exact up to 2 base, and no smaller than that from there on.
  return {sum_of_elements<float, BOMBARD_VECTOR_BYTES>(known), open};
}

/// Adds what is known, and what is open, to the sum of a cell. False where the sum does not stay
/// between the powers of two, or the order counts.
template <class Law>
bool add_steps(const UpdateWork<Law>& work, const Steps& steps, float base, std::int64_t cell,
               float& sum) {
  const float half = base * 0x1p-24F;
  Floats added = {};
  Indices wrong = {};
  for (int i = 0; i < steps.open.count; i += lanes) {
    const Floats share = shares(work, steps.open.positions + i, steps.open.energies + i, cell);
    const Floats step = (share + base) - base;
    const Floats off = share - step;
    wrong |= ~((share < base) & (off < half) & (off > -half));
    added += step;
  }
  if (any_of(wrong)) return false;
  sum += steps.known + sum_of_elements<float, BOMBARD_VECTOR_BYTES>(added);
  return sum < 2 * base;
}

/// The power of two at or below a sum; 0 where none serves.
float base_of(float sum) {
  if (!(sum >= 0x1p-100F && sum < 0x1p100F)) return 0;
  constexpr std::uint32_t exponent = 0x7f800000;
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, sum) & exponent);
}

/// The powers of two below some sums. A set of them has a bit for each.
struct Bases {
  int count = 0;
  float values[most_bases];

  /// The number of a power of two; count if it is not there.
  int find(float base) const {
    int number = 0;
    while (number < count && values[number] != base) ++number;
    return number;
  }

  /// The set of those below the sums of a piece; empty if there are too many, or none serves.
  template <class Law>
  std::uint32_t add(const UpdateWork<Law>& piece) {
    std::uint32_t set = 0;
    for (std::int64_t k = 0; k < piece.cells; ++k) {
      const float base = base_of(piece.layer[k]);
      const int number = find(base);
      if (base == 0 || number == most_bases) return 0;
      if (number == count) values[count++] = base;
      set |= 1U << number;
    }
    return set;
  }
};

/// Adds a block of impacts to pieces, which are known by their numbers.
template <class Law>
class PiecesUpdate {
 public:
  PiecesUpdate(const UpdateWork<Law>* pieces, PiecesMemory& memory)
      : pieces_(pieces), memory_(memory) {}

  /// To pieces 0 .. count-1 so many impacts from number `begin` on.
  void add(std::int64_t count, std::int64_t begin, std::int64_t impacts) {
    begin_ = begin;
    const Impacts block = read(static_cast<int>(impacts));
    for (std::int32_t i = 0; i < count; ++i) memory_.lists[0][i] = i;
    add(0, static_cast<int>(count), block);
  }

 private:
  Impacts read(int count) {
    const ScaledImpact* const impacts = pieces_->impacts + begin_;
    for (int i = 0; i < whole_vectors(count); ++i) {
      memory_.positions[i] = i < count ? impacts[i].position : 0;
      memory_.energies[i] = i < count ? impacts[i].energy : 0;
    }
    return {count, memory_.positions, memory_.energies};
  }

  /// To the pieces of a list.
  void add(int list, int count, const Impacts& block) {
    const int failed = add_at_once(list, count, block);
    if (failed == 0) return;
    if (block.count <= PiecesMemory::shortest_block) {
      for (int i = 0; i < failed; ++i) add_one_by_one(memory_.lists[list + 1][i], block);
      return;
    }
    const int part = whole_vectors((block.count + PiecesMemory::parts - 1) / PiecesMemory::parts);
    for (int i = 0; i < block.count; i += part) {
      const int left = block.count - i;
      add(list + 1, failed, {left < part ? left : part, block.positions + i, block.energies + i});
    }
  }

  void add_one_by_one(std::int32_t number, const Impacts& block) {
    UpdateWork<Law> work = pieces_[number];
    work.impacts += begin_ + (block.positions - memory_.positions);
    work.count = block.count;
    update(work);
  }

  /// Returns how many pieces are left as they are: the next list has them.
  int add_at_once(int list, int count, const Impacts& block) {
    failed_ = memory_.lists[list + 1];
    failed_count_ = 0;
    bases_.count = 0;
    opened_ = 0;
    const bool serves = no_energy_is_negative(block);
    int together = 0;
    for (int i = 0; i < count; ++i) {
      const std::int32_t number = memory_.lists[list][i];
      memory_.bases[number] = serves ? bases_.add(pieces_[number]) : 0;
      if (memory_.bases[number] == 0) {
        failed_[failed_count_++] = number;
      } else {
        memory_.together[together++] = number;
      }
    }
    Steps steps[most_bases];
    for (int b = 0; b < bases_.count; ++b) steps[b] = {0, block};
    add_in_groups(memory_.together, together, steps);
    return failed_count_;
  }

  static bool no_energy_is_negative(const Impacts& block) {
    float least = 0;
    for (int i = 0; i < block.count; ++i) {
      least = block.energies[i] < least ? block.energies[i] : least;
    }
    return least >= 0;
  }

  /// To some pieces, in whose cells the block's steps are these.
  void add_in_groups(const std::int32_t* numbers, int count, const Steps* steps) {
    const int size = (count + groups - 1) / groups;
    for (int i = 0; i < count; i += size) {
      const int left = count - i;
      const int in_group = left < size ? left : size;
      const int opened = opened_;
      Steps of_group[most_bases];
      narrow(numbers + i, in_group, steps, of_group);
      if (in_group > 1) {
        add_in_groups(numbers + i, in_group, of_group);
      } else if (!add_to_cells(numbers[i], of_group)) {
        failed_[failed_count_++] = numbers[i];
      }
      opened_ = opened;
    }
  }

  /// The steps in some of the cells.
  void narrow(const std::int32_t* numbers, int count, const Steps* steps, Steps* narrowed) {
    std::uint32_t bases = 0;
    CellRange cells{pieces_[*numbers].first, pieces_[*numbers].first + 1};
    for (int i = 0; i < count; ++i) {
      const UpdateWork<Law>& piece = pieces_[numbers[i]];
      const std::int64_t end = piece.first + piece.cells;
      bases |= memory_.bases[numbers[i]];
      cells.begin = piece.first < cells.begin ? piece.first : cells.begin;
      cells.end = end > cells.end ? end : cells.end;
    }
    for (int b = 0; b < bases_.count; ++b) {
      if ((bases >> b & 1U) == 0) continue;
      narrowed[b] = narrowed_to(cells, count == 1, steps[b], bases_.values[b]);
    }
  }

  /// To some of the cells. The steps as they are where most of what is open stays open: a smaller
  /// group will do better, and for a single piece it is worth while all the same.
  Steps narrowed_to(const CellRange& cells, bool single, const Steps& steps, float base) {
    const Impacts& impacts = steps.open;
    if (opened_ + whole_vectors(impacts.count) + lanes > PiecesMemory::most_open) return steps;
    const Impacts open{0, memory_.open_positions + opened_, memory_.open_energies + opened_};
    if (!single && impacts.count > 8 * sample) {
      const Impacts few{sample, impacts.positions, impacts.energies};
      if (2 * find_steps(*pieces_, few, cells, base, open).open.count > sample) return steps;
    }
    const Steps found = find_steps(*pieces_, impacts, cells, base, open);
    if (!single && 2 * found.open.count > impacts.count) return steps;
    opened_ += found.open.count;
    return {steps.known + found.known, found.open};
  }

  /// To the cells of a piece; or returns false and changes nothing.
  bool add_to_cells(std::int32_t number, const Steps* steps) {
    const UpdateWork<Law>& piece = pieces_[number];
    float sums[small_piece_cells];
    for (std::int64_t k = 0; k < piece.cells; ++k) {
      sums[k] = piece.layer[k];
      const int b = bases_.find(base_of(sums[k]));
      if (!add_steps(piece, steps[b], bases_.values[b], piece.first + k, sums[k])) return false;
    }
    for (std::int64_t k = 0; k < piece.cells; ++k) piece.layer[k] = sums[k];
    return true;
  }

  const UpdateWork<Law>* pieces_;
  PiecesMemory& memory_;
  std::int64_t begin_ = 0;          ///< of the block in memory
  Bases bases_;                     ///< of all sums that the block is added to
  int opened_ = 0;                  ///< open impacts in memory
  std::int32_t* failed_ = nullptr;  ///< a list
  int failed_count_ = 0;
};

}  // namespace

template <class Law>
void update_pieces(const UpdateWork<Law>* pieces, std::int64_t count, PiecesMemory& memory) {
  for (std::int64_t i = 0; i < count; i += PiecesMemory::most_pieces) {
    const std::int64_t left = count - i;
    const std::int64_t together =
        left < PiecesMemory::most_pieces ? left : PiecesMemory::most_pieces;
    PiecesUpdate<Law> update(pieces + i, memory);
    for (std::int64_t begin = 0; begin < pieces->count; begin += PiecesMemory::longest_block) {
      const std::int64_t rest = pieces->count - begin;
      update.add(together, begin,
                 rest < PiecesMemory::longest_block ? rest : PiecesMemory::longest_block);
    }
  }
}
template void update_pieces(const UpdateWork<SquareRootLaw>*, std::int64_t, PiecesMemory&);
template void update_pieces(const UpdateWork<GeneralLaw>*, std::int64_t, PiecesMemory&);

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
