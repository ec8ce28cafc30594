#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/layer/cell_range.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/engine.hpp"
#include "sim/engines/storm_view.hpp"

namespace bombard {

/// The rule's layer, to the last bit, a few cells at a time.
///
/// The value of a cell after S storms depends on the impacts and on the cells up to S away, because
/// each relaxation adds one on either side. So a range of cells is computed from a wider one of 0:
/// the storms in order, on a tile that gets narrower by a cell on either side with each
/// (docs/methods.md, Screen and confirm).
class ExactLayer {
 public:
  virtual ~ExactLayer() = default;

  /// Takes the next storm, and keeps its impacts. values() hold if every share of it counts, which
  /// the screened layer asks.
  virtual void add(const StormView& storm) = 0;
  /// Goes back to a layer of 0.
  virtual void clear() = 0;

  /// The cost of the last storm, done directly, in interactions of the direct engine.
  virtual double cost_directly(const StormView& last) const = 0;

  /// Ranges of cells, ascending, that do not touch, and what they cost after all storms so far.
  struct Tiles {
    std::vector<CellRange> ranges;
    double interactions = 0;
  };
  /// The tiles for these ranges, ascending: ranges with few cells between them become one.
  virtual Tiles tiles(const std::vector<CellRange>& ranges) const = 0;
  /// The values of their cells after all storms so far, range by range.
  virtual std::vector<float> values(const Tiles& tiles) = 0;
  /// How many candidates are confirmed without a look at the best of them first.
  virtual std::size_t few_candidates() const = 0;
  /// The interactions of a candidate in the last storm, at least.
  virtual double least_cost_of_cell() const = 0;
};

/// On a CPU. Impacts are counted where that pays by these costs, which must outlive the layer.
std::unique_ptr<ExactLayer> make_exact_layer(const EngineOptions& options,
                                             const CountingCosts& counting = costs::counting);

}  // namespace bombard
