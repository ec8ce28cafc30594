#pragma once

#include <cstdint>
#include <vector>

#include "bombard/maximum.hpp"
#include "tools/judge/cases.hpp"

namespace bombard::judge {

struct SteppedProgram;
using At = const SteppedProgram&;
using Change = SteppedProgram&;
using Cell = std::int64_t;

// ---- the steps of the rule ----

float share_of_the_rule(At at, const Impact& impact, Cell k);
bool threshold_of_the_rule(At at, float share);
float relaxation_of_the_rule(At at, Cell k);
bool peak_of_the_rule(At at, Cell k, Cell neighbour);
bool edge_of_the_rule(At at, Cell k);

/// The six steps of the sequential program, and what it prints. A mistake replaces one of them:
///
///     SteppedProgram(tried, {.peak = [](At, Cell, Cell) { return true; }}).maxima();
struct SixSteps {
  /// Of an impact in a cell.
  float (*share)(At, const Impact&, Cell) = share_of_the_rule;
  /// Whether a share is added.
  bool (*threshold)(At, float share) = threshold_of_the_rule;
  /// What a cell becomes after a storm.
  float (*relaxation)(At, Cell) = relaxation_of_the_rule;
  /// Whether a cell exceeds this neighbour of it, as a peak must.
  bool (*peak)(At, Cell, Cell neighbour) = peak_of_the_rule;
  /// Whether a cell is no peak, because of where it is.
  bool (*edge)(At, Cell) = edge_of_the_rule;
  /// Whether of equal maxima this one is taken, and not the one found before.
  bool (*order)(At, Cell, Cell before) = [](At, Cell, Cell) { return false; };
  /// What is printed of the maximum; it may change the layer with which the next storm begins.
  Maximum (*print)(Change, Maximum found) = [](Change, Maximum found) { return found; };

  // The numbers in them
  float thousand = 1000;    ///< the factor of energies
  Cell own = 1;             ///< the distance of the cell that is hit
  Cell divisor = 0;         ///< of energies, in addition to CELLS
  Cell block = 1;           ///< only whole blocks of cells get energy
  float middle = 1;         ///< the weight of a cell in its relaxation
  bool from_right = false;  ///< the relaxation goes from right to left
};

/// The sequential program, some of its steps replaced. Speed does not matter here.
struct SteppedProgram {
  SteppedProgram(const Case& tried, const SixSteps& steps);

  /// The maximum after each storm.
  std::vector<Maximum> maxima();

  // ---- what steps work on ----
  const Case& tried;
  const SixSteps steps;
  const Cell cells;
  std::size_t storm = 0;  ///< its number
  std::vector<float> layer;
  std::vector<float> before;  ///< the layer at the beginning of the storm
  std::vector<float> added;   ///< with the storm's shares, before the relaxation
  Maximum last;               ///< for a print that remembers it

  // ---- what steps are made of ----
  float share(const Impact& impact, Cell k, Edition edition) const;
  /// Of an energy that the rule's factors are in.
  float share(float energy, const Impact& impact, Cell k) const;
  float least_share(Edition edition) const;
  float third(float left, float middle, float right) const {
    return (left + steps.middle * middle + right) / (2 + steps.middle);
  }
  bool is_end(Cell k) const { return k == 0 || k == cells - 1; }
  Cell in_blocks() const { return cells - cells % steps.block; }
  /// The highest peak of the layer, or of the cells begin .. end-1.
  Maximum highest() const { return highest(0, cells); }
  Maximum highest(Cell begin, Cell end) const;

  // ---- the layer in 4 parts of equal size, of which the last has the cells left over, too ----
  /// The first cell of the part that has this cell.
  Cell part_begin(Cell k) const;
  /// Whether another part ends before this cell.
  bool begins_part(Cell k) const { return k > 0 && k < cells && part_begin(k) == k; }
  /// Whether a cell is where two parts meet.
  bool is_border(Cell k) const { return begins_part(k) || begins_part(k + 1); }
  /// Whether a cell's neighbour is of another part.
  bool is_foreign(Cell k, Cell neighbour) const { return part_begin(k) != part_begin(neighbour); }
};

}  // namespace bombard::judge
