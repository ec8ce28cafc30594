#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "kernels/counting/counting.hpp"
#include "kernels/layer/cell_range.hpp"
#include "kernels/share/divisor_table.hpp"
#include "sim/engines/reaches.hpp"

namespace bombard {

/// A range is computed in whole vectors of this many cells, the widest there are.
inline constexpr std::int64_t vector_cells = 16;

/// Cells of a layer that are known to the last bit: the rule's values, or all 0.
struct KnownCells {
  CellRange cells;
  std::span<const float> values;  ///< empty: 0
};

/// The rule's values, to the last bit, of a few cells of a large layer (docs/methods.md, Screen and
/// confirm). After storm i they depend on the cells up to i away, so a range of cells depends on a
/// wider one after the storm before, and so on down to the layer that is known as a whole. Computed
/// values are kept, for the next storms need them.
class ExactCells {
 public:
  /// `total` cells in the layer, which is 0. Uses up to `threads` threads.
  ExactCells(std::int64_t total, const Rule& rule, int threads = 1)
      : total_(total),
        rule_(layer_rule(rule, total)),
        energy_(energy_scale(rule, total)),
        threads_(threads),
        known_{{0, total}, {}} {}

  /// Forgets all storms: the next one falls on this layer, which has to stay as it is.
  void begin_with(const KnownCells& known);

  /// The next storm's impacts, in file order, and the reach of each, none where they are unknown.
  /// `all_count`: every share is known to count in every cell of the layer. `time` less than 1:
  /// the impacts are counted where many cells are asked for, and take this part of the time.
  void add_storm(std::span<const Impact> impacts, std::span<const std::int64_t> reaches,
                 bool all_count, double time = 1);
  /// The interactions that a cell takes at least in the last storm.
  double least_cost_of_cell() const;

  /// The work for the values of some cells after the last storm.
  struct Plan {
    /// Ranges, ascending, that do not touch, for each storm from the last one down.
    std::vector<std::vector<CellRange>> ranges;
    double interactions = 0;  ///< of the direct engine, that take this time
    std::int64_t bytes = 0;
  };
  /// Ranges lie in the layer, are ascending and do not touch.
  Plan plan(const std::vector<CellRange>& ranges) const;
  void evaluate(const Plan& plan);

  /// The values of cells after the last storm; empty unless the range, or one that it lies in, has
  /// been evaluated since. Valid until the next call of evaluate().
  std::span<const float> values(const CellRange& range) const;

  /// Bytes of memory that the kept values take.
  std::int64_t bytes() const { return bytes_; }

 private:
  /// Ranges by their first cells; none lies within another.
  using Ranges = std::map<std::int64_t, std::vector<float>>;
  struct Storm {
    std::vector<ScaledImpact> impacts;
    bool all_count;
    double time;
    Ranges after;  ///< cells that are known after the storm
  };

  bool is_known(std::size_t storm, const CellRange& range) const;
  std::vector<CellRange> missing(std::size_t storm, const std::vector<CellRange>& ranges) const;
  static double cost(const Storm& storm, std::int64_t cells);
  std::vector<CellRange> with_reserve(const std::vector<CellRange>& ranges) const;
  KnownCells known_before(std::size_t storm, const CellRange& range) const;
  CellRange filled(std::size_t storm, const CellRange& range) const;
  void evaluate(std::size_t storm, const std::vector<CellRange>& ranges);
  struct Piece;
  void compute(std::size_t storm, std::span<const Piece> pieces,
               cpu::CountingMemory* counting) const;
  void keep(Ranges& known, const CellRange& range, std::vector<float>&& values);

  std::int64_t total_;
  AnyLayerRule rule_;
  EnergyScale energy_;
  int threads_;
  KnownCells known_;  ///< what the first storm falls on
  std::vector<Storm> storms_;
  std::int64_t bytes_ = 0;
  cpu::DivisorTable divisors_;
};

}  // namespace bombard
