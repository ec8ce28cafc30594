#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bombard/layer.hpp"
#include "bombard/maximum.hpp"
#include "bombard/settings.hpp"
#include "bombard/storm.hpp"
#include "kernels/base/cores.hpp"
#include "kernels/base/indexed_value.hpp"
#include "kernels/layer/part.hpp"
#include "kernels/layer/rule.hpp"
#include "sim/engines/highest_peaks.hpp"
#include "sim/engines/storm_view.hpp"

namespace bombard {

/// The layer's maximum from the maxima of two parts: the larger value, then the smaller position.
inline Maximum larger(const Maximum& a, const Maximum& b) {
  return is_higher(b.value, b.position, a.value, a.position) ? b : a;
}

/// A peak of some cells, numbered from cell `first` of the layer, as its maximum; {0, 0} if there
/// is no peak.
template <class Value>
Maximum maximum_of(const Indexed<Value>& peak, std::int64_t first) {
  if (peak.value == 0) return {};
  return {first + peak.index, peak.value};
}

/// A copy of the part's own cells among those held.
template <class Value>
Layer own_cells(std::span<const Value> held, const Part& part) {
  const auto own = slice(held, part.own_among_held());
  return std::vector<Value>(own.begin(), own.end());
}

struct EngineOptions {
  /// The cells that the engine answers for; it adds the margin itself.
  Part part;
  /// Storms that apply() will be given in all: they decide how wide the margin is.
  std::int64_t storms = 0;
  /// In single precision its attenuation is the square root.
  Rule rule = {};
  /// Whether anything will be asked of the layer; otherwise a fused engine need not write the layer
  /// after the last storm.
  bool keep_layer = true;
  /// CPU engines: threads, 0 for all cores. They hold for this process.
  int threads = 0;
  /// Impacts of those storms together, as far as they are known: an engine that keeps them asks for
  /// their memory at once.
  std::int64_t impacts = 0;
  /// CUDA engines: the device's index, and the code that finds the maximum.
  int device = 0;
  Reduction reduction = Reduction::cub;
};

/// How many threads a CPU engine, or the CPU's part of a CUDA engine, starts.
inline int thread_count(const EngineOptions& options) {
  return options.threads > 0 ? options.threads : default_threads();
}

/// Thrown by an engine that cannot go on, or for which going on costs more than another way: the
/// next engine has to take all storms so far again. `why` is a clause for Evidence.
struct GaveUp {
  const char* why;
};

/// A way to compute the rule (docs/methods.md). All engines in single precision give the same
/// maxima, and all direct ones the same layer, bit for bit.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Applies the next storm and returns the part's maximum after it. When it throws GaveUp, or
  /// anything else, as a StoppableWork may, the layer is lost until reset().
  virtual Maximum apply(const StormView& storm) = 0;

  /// Goes back to a layer of 0, and to the number of storms expected at the beginning. Knowledge
  /// that depends on the layer's size is kept.
  virtual void reset() = 0;

  /// Sets the layer that the first storm falls on, instead of one of 0: the cells held by the part
  /// with its margin (with_margin(part, storms)), in the precision that the engine computes in.
  /// Call it before the first storm. This and layer() are for engines with a layer: has_layer()
  /// (engines.hpp).
  virtual void begin_with(const LayerView& /*held*/) { throw_no_layer(); }

  /// The part's cells, 0 at first, as the last storm left them, in the precision that the engine
  /// computes in (keep_layer must be set).
  virtual Layer layer() const { throw_no_layer(); }

  /// The values and the highest peaks of the part's cells as the last storm left them (keep_layer
  /// must be set); cells are numbered within the part. In single precision they are the rule's, bit
  /// for bit.
  virtual std::vector<CellValue> values_at(std::span<const CellRange> cells) {
    return bombard::values_at(view_of(layer()), cells);
  }
  virtual PeakList highest_peaks(std::int64_t count) {
    return {bombard::highest_peaks(view_of(layer()), count)};
  }

  /// The evidence for the last storm; none from engines that do all the arithmetic.
  virtual std::optional<Evidence> evidence() const { return std::nullopt; }

 private:
  [[noreturn]] static void throw_no_layer() {
    throw std::logic_error("this engine has no layer to show, or to begin with");
  }
};

}  // namespace bombard
