#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "bombard/maximum.hpp"
#include "tools/judge/cases.hpp"

namespace bombard::judge {

struct SteppedProgram;
using At = const SteppedProgram&;
using Cell = std::int64_t;

// ---- the steps of the rule ----

double share_of_the_rule(At at, const Impact& impact, Cell k);
bool threshold_of_the_rule(At at, double share);
void relaxation_of_the_rule(SteppedProgram& at);
int relaxations_of_the_rule(At at);
std::vector<double> next_of_the_rule(At at);
bool peak_of_the_rule(At at, Cell k, Cell neighbour);
bool edge_of_the_rule(At at, Cell k);
bool order_of_the_rule(Cell k, Cell before);
Maximum print_of_the_rule(SteppedProgram& at);

/// The six steps of the sequential program, and what it prints. A mistake replaces one of them:
///
///     SteppedProgram(tried, {.peak = [](At, Cell, Cell) { return true; }}).maxima();
struct SixSteps {
  /// Of an impact in a cell.
  double (*share)(At, const Impact&, Cell) = share_of_the_rule;
  /// Whether a share is added.
  bool (*threshold)(At, double share) = threshold_of_the_rule;
  void (*relaxation)(SteppedProgram&) = relaxation_of_the_rule;
  /// How many follow a storm.
  int (*relaxations)(At) = relaxations_of_the_rule;
  /// The layer with which the next storm begins.
  std::vector<double> (*next)(At) = next_of_the_rule;
  /// Whether a cell exceeds this neighbour of it, as a peak must.
  bool (*peak)(At, Cell, Cell neighbour) = peak_of_the_rule;
  /// Whether a cell is no peak, because of where it is.
  bool (*edge)(At, Cell) = edge_of_the_rule;
  /// Whether of equal maxima this one is taken, and not the one found before.
  bool (*order)(Cell, Cell before) = order_of_the_rule;
  Maximum (*print)(SteppedProgram&) = print_of_the_rule;
  Maximum start = {};            ///< what is printed where there is no peak
  bool in_double = false;        ///< the arithmetic of all of them
  bool energy_in_int = false;    ///< the energy's
  bool storms_reversed = false;  ///< the storms
  double thousand = 1000;        ///< the factor of energies
  Cell own = 1;                  ///< the distance of the cell that is hit
  Cell divisor = 0;              ///< of energies, in addition to CELLS
  Cell block = 1;                ///< only whole blocks of cells get energy
  double middle = 1;             ///< the weight of a cell in its relaxation
};

/// The sequential program, some of its steps replaced. Speed does not matter here.
struct SteppedProgram {
  SteppedProgram(const Case& tried, const SixSteps& steps);

  /// The maximum after each storm.
  std::vector<Maximum> maxima();

  // ---- what steps work on ----
  const Case& tried;
  SixSteps steps;
  const Cell cells;
  std::size_t storm = 0;  ///< its number
  std::vector<double> layer;
  std::vector<double> before;  ///< the layer at the beginning of the storm
  std::vector<double> added;   ///< with the storm's shares, before the relaxation
  std::vector<double> copy;    ///< of the layer, for the relaxation
  std::vector<double> kept;    ///< for a relaxation that remembers a layer
  Maximum last;                ///< for a print that remembers it

  // ---- what steps are made of ----
  double rounded(double value) const {
    return steps.in_double ? value : static_cast<double>(static_cast<float>(value));
  }
  double third(double left, double middle, double right) const {
    return rounded(rounded(rounded(left + steps.middle * middle) + right) / (2 + steps.middle));
  }
  double energy(const Impact& impact, Edition edition) const;
  double distance(const Impact& impact, Cell k) const {
    return static_cast<double>(std::abs(impact.position - k) + steps.own);
  }
  double share(const Impact& impact, Cell k, Edition edition) const;
  double least_share(Edition edition) const;
  Cell in_blocks() const { return cells - cells % steps.block; }
  bool is_end(Cell k) const { return k == 0 || k == cells - 1; }
  bool is_peak(Cell k) const;
  /// Relaxes each cell that is neither an end nor skipped.
  template <class Skipped>
  void relax(Skipped skipped) {
    copy = layer;
    for (Cell k = 1; k < cells - 1; ++k) {
      if (!skipped(k)) layer[k] = third(copy[k - 1], copy[k], copy[k + 1]);
    }
  }
  /// As the rule does, but from what seen(k, neighbour) is.
  template <class Seen>
  void relax_from(Seen seen) {
    copy = layer;
    for (Cell k = 1; k < cells - 1; ++k) layer[k] = third(seen(k, k - 1), copy[k], seen(k, k + 1));
  }
  void relax() {
    relax([](Cell) { return false; });
  }
  /// The highest peak of some cells.
  Maximum highest(Cell begin, Cell end) const;
  Maximum highest() const { return highest(0, cells); }

  // ---- the layer in parts of equal size, of which the last one has the cells left over, too ----
  static constexpr int parts = 4;
  Cell begin_of(int part) const { return part == parts ? cells : part * (cells / parts); }
  /// Whether another part ends before this cell.
  bool begins_part(Cell k) const;
  /// Whether a cell is where two parts meet.
  bool is_border(Cell k) const { return begins_part(k) || begins_part(k + 1); }
  /// Whether a cell's neighbour is of another part.
  bool is_foreign(Cell k, Cell neighbour) const { return begins_part(std::max(k, neighbour)); }
};

}  // namespace bombard::judge
