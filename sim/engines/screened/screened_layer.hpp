#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "bombard/layer.hpp"
#include "bombard/maximum.hpp"
#include "sim/engines/engine.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/engines/screened/error_bound.hpp"
#include "sim/engines/screened/screening.hpp"
#include "sim/engines/storm_view.hpp"

namespace bombard {

/// Clauses for Evidence, where a bound holds.
inline constexpr const char* too_many_candidates = "too many cells may be the maximum";
inline constexpr const char* not_every_share_counts = "not every share counts";
inline constexpr const char* costs_no_more = "all the arithmetic takes no longer";

/// Whether so much work, in interactions of the direct engine since begin_with(), is still worth
/// it.
using WorkLimit = std::function<bool(double work)>;

/// A layer in binary64 that is nearly the rule's, with a bound on how far each cell may be from it;
/// in double precision it is the answer itself. It is stored on the CPU, stored on a GPU, or
/// not stored at all (sparse), and takes a storm at a cost that does not depend on cells times
/// impacts.
///
///   layer.begin_with(held);
///   if (const char* why = layer.add(storm)) ...  // another way has to be found
///   layer.screening().best_peaks(1);
class ScreenedLayer {
 public:
  virtual ~ScreenedLayer() = default;

  /// Whether there are cells to show, and to begin with.
  virtual bool is_stored() const { return true; }
  /// The cells held are these from now on; none: all are 0.
  virtual void begin_with(const LayerView& held) = 0;

  /// The cost of begin_with() some cells, and of adding the next storm, in interactions of the
  /// direct engine; 0 where that is not known beforehand.
  virtual double cost_of_beginning() const { return 0; }
  virtual double cost(const StormView&) const { return 0; }
  /// Adds a storm and relaxes. Null; or a clause for Evidence that says why it cannot, or why
  /// nothing would be proved: then the layer is of no use for this storm and later ones until
  /// begin_with().
  virtual const char* add(const StormView& storm) = 0;
  /// The work since begin_with(), including the work of the searches.
  virtual double work() const { return work_; }
  /// add() and searches give up when this returns false.
  void limit_work(WorkLimit limit) { is_worth_ = std::move(limit); }

  /// The search of the layer as the last storm left it, or the storm `ago` storms before that;
  /// valid until the next one is added.
  virtual const Screening& screening(std::size_t ago = 0) const = 0;
  /// The number of storms, from the last one back, that can be searched for: 1; a GPU goes on to
  /// the next storms before it reports its findings.
  virtual std::size_t searched_together() const { return 1; }
  /// After a search that found too many candidates: whether the layer has become more exact, and is
  /// to be searched again.
  virtual bool refine() { return false; }
  /// The cells that the search has looked at one by one, if that is worth reporting.
  virtual std::int64_t cells_seen() const { return 0; }

  /// In double precision: the highest peaks of the layer that was left `ago` storms before the
  /// last, `count` of them, 1 or more; none if finding them costs too much.
  virtual std::optional<std::vector<CellValue>> highest_peaks(std::size_t count,
                                                              std::size_t ago = 0) {
    return screening(ago).best_peaks(count);
  }

  /// The part's cells, and how far each may be from the rule's once it is rounded to binary32.
  virtual std::vector<double> values() const = 0;
  virtual std::vector<float> uncertainties() const = 0;
  /// The value of a cell in double precision; only for a layer that is not stored.
  virtual double value(std::int64_t cell) = 0;
  /// Gives memory back until begin_with(), if it is needed for another way.
  virtual void release() {}

 protected:
  /// A layer of 0 that holds the cells of `part`.
  ScreenedLayer(const EngineOptions& options, const Part& part, Precision precision)
      : options_(options), part_(part), rule_(layer_rule(options.rule, part.total)) {
    if (precision == Precision::binary32) bound_.emplace(part_, options_.rule);
  }

  bool in_double() const { return !bound_; }
  /// What the convolution is asked for.
  double relative_error() const { return in_double() ? double_precision_error : fast_error; }
  /// begin_with() for a layer that is stored here.
  template <class Stored>
  void begin(Stored& layer, const LayerView& held) {
    const auto begin_with_cells = [&](const auto& cells) {
      work_ = cells.empty() ? 0 : cost_of_beginning();
      cells.empty() ? layer.clear() : layer.begin_with(cells);
    };
    std::visit(begin_with_cells, held);
    reset_bound(held);
  }
  /// Nothing is known of the rule's layer but that it begins with these cells, too.
  void reset_bound(const LayerView& held) {
    if (in_double()) return;
    bound_.emplace(part_, options_.rule, std::get<std::span<const float>>(held));
  }
  double cells() const { return static_cast<double>(part_.held.count()); }

  EngineOptions options_;
  Part part_;
  AnyLayerRule rule_;
  std::optional<ErrorBound> bound_;  ///< none in double precision
  double work_ = 0;                  ///< since begin_with(), without the searches
  WorkLimit is_worth_ = [](double) { return true; };
};

/// For a layer that is not stored: an impact as it was read, as the rule takes it and as a source;
/// its chunk, what is known of it, and room for all of that to grow.
inline constexpr std::int64_t bytes_of_sparse_impact = 500;

/// One that a CPU stores, and one that is not stored, in single precision.
std::unique_ptr<ScreenedLayer> make_stored_layer(const EngineOptions& options, Precision precision);
std::unique_ptr<ScreenedLayer> make_sparse_layer(const EngineOptions& options);

}  // namespace bombard
