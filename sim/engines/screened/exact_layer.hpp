#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bombard/layer.hpp"
#include "kernels/layer/cell_range.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/engine.hpp"
#include "sim/engines/screened/screened_layer.hpp"
#include "sim/engines/storm_view.hpp"

namespace bombard {

/// The rule's layer, to the last bit, where it is asked for: a direct engine has it as a whole
/// before the pending storms, and after them it is known a few cells at a time.
///
/// The value of a cell after the last of S pending storms depends on the cells up to S away,
/// because each relaxation adds one on either side. So a range of cells is computed from a wider
/// one of the layer that is known: the storms in order, on a tile that gets narrower by a cell on
/// either side with each (docs/methods.md, Screen and confirm).
class ExactLayer {
 public:
  virtual ~ExactLayer() = default;

  /// The engine that has the layer before the pending storms.
  virtual Engine& whole() = 0;
  /// Gives that layer to a screened one.
  virtual void give_to(ScreenedLayer& layer) const = 0;

  /// The interactions of the direct engine that take as long as all the arithmetic of the next
  /// storm.
  virtual double cost_directly(const StormView& storm) = 0;
  /// The storm is pending from now on; its impacts are kept. `last`: none follows.
  virtual void add(const StormView& storm, bool last) = 0;
  /// No storm is pending any more.
  virtual void forget() = 0;

  /// Ranges of cells, ascending, that do not touch, and what they cost after some pending storms.
  struct Tiles {
    std::vector<CellRange> ranges;
    std::size_t storms;  ///< the first of the pending ones; 0: before them
    double interactions = 0;
  };
  /// The tiles for these ranges, ascending: ranges with few cells between them become one.
  virtual Tiles tiles(const std::vector<CellRange>& ranges, std::size_t storms) const = 0;
  /// The values of the cells of each of these after its storms, range by range.
  virtual std::vector<std::vector<float>> values(std::span<const Tiles> several) = 0;
  /// Peaks, and what they cost.
  struct Peaks {
    std::vector<CellValue> peaks;
    std::int64_t cells = 0;  ///< that were computed
    double interactions = 0;
    friend bool operator==(const Peaks&, const Peaks&) = default;
  };
  /// The `count` highest peaks of at least `least` in gaps between impacts, after some pending
  /// storms since all cells were 0; none if they cost more than `most` interactions. Gaps are at
  /// least storms + 1 cells away from the layer's ends, and energies at least 0. It need not be
  /// asked after storms that a stored layer has taken.
  virtual std::optional<Peaks> peaks_of_gaps(const std::vector<CellRange>& /*gaps*/,
                                             std::size_t /*storms*/, std::size_t /*count*/,
                                             double /*least*/, double /*most*/) const {
    return std::nullopt;
  }
  /// How many candidates are confirmed without a look at the best of them first.
  virtual std::size_t few_candidates() const = 0;
  /// The interactions of a candidate in the last storm, at least.
  virtual double least_cost_of_cell() const = 0;
};

/// On a CPU. Impacts are counted where that pays by these costs, which must outlive the layer.
std::unique_ptr<ExactLayer> make_exact_layer(const EngineOptions& options,
                                             const CountingCosts& counting = costs::counting);

}  // namespace bombard
