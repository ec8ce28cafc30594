#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "sim/engines/engine.hpp"
#include "sim/engines/screened/error_bound.hpp"
#include "sim/engines/screened/screening.hpp"
#include "sim/engines/storm_view.hpp"

namespace bombard {

/// A clause for GaveUp.
inline constexpr const char* not_every_share_counts = "not every share counts";

/// A layer in binary64 that is nearly the rule's, with a bound on how far each cell may be from it:
/// stored on the CPU, stored on a GPU, or not stored at all (sparse). It takes a storm at a cost
/// that does not depend on cells times impacts.
///
///   if (const char* why = layer.add(storm)) ...  // another way has to be found
///   layer.screening().best_peaks(1);
class ScreenedLayer {
 public:
  virtual ~ScreenedLayer() = default;

  /// Goes back to a layer of 0.
  virtual void clear() = 0;
  /// Adds a storm and relaxes. Null; or a clause for GaveUp that says why it cannot, or why nothing
  /// would be proved: then the layer is of no use until clear().
  virtual const char* add(const StormView& storm) = 0;
  /// The search of the layer as the last storm left it; valid until the next one is added.
  virtual const Screening& screening() const = 0;
  /// The cells that the search has looked at one by one, if that is worth reporting.
  virtual std::int64_t cells_seen() const { return 0; }
  /// The most that the candidates of one round may cost, in interactions; beyond, the engine gives
  /// up, however much all the arithmetic would take.
  virtual double most_interactions() const { return std::numeric_limits<double>::infinity(); }
};

/// One that a CPU stores, and one that is not stored.
std::unique_ptr<ScreenedLayer> make_stored_layer(const EngineOptions& options);
std::unique_ptr<ScreenedLayer> make_sparse_layer(const EngineOptions& options);

}  // namespace bombard
