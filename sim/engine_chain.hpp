#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bombard/simulation_observer.hpp"
#include "sim/engines/engines.hpp"

namespace bombard {

/// The engine of a part of a layer, and those that take its place:
///
///   sparse -> fast -> direct,  cuda_fast -> cuda_direct;  direct engines and double never give up
///
/// Where an engine gives up, the next one takes all storms so far again, and goes on. A layer that
/// is asked for of an engine that screens comes in the same way from the direct engine. This is the
/// only place where one engine replaces another; reset() begins with the first one again.
class EngineChain {
 public:
  /// Throws CannotRun as EngineEntry::make() does; so may every member that takes another engine,
  /// with both reasons.
  EngineChain(const EngineEntry& first, const EngineOptions& options);
  /// The same with an engine that the entry makes in another way.
  EngineChain(const EngineEntry& first, const EngineOptions& options,
              std::unique_ptr<Engine> engine);

  /// The engine that computes now.
  const EngineEntry& entry() const { return *entry_; }

  /// Applies the next storm and returns the part's maximum after it. When it throws, the layer is
  /// lost until reset().
  Maximum apply(KeptStorm storm);

  void reset();

  /// For an engine that has a layer; see Engine::begin_with().
  void begin_with(const LayerView& held);

  /// The part's cells as the last storm left them, 0 at first: the rule's, or the true sums.
  Layer layer();
  /// See Engine; cells are numbered within the part.
  std::vector<CellValue> values_at(std::span<const CellRange> cells);
  PeakList highest_peaks(std::int64_t count);

  /// How the last maximum was found; empty where the first engine never gives up.
  std::optional<Evidence> evidence() const;

 private:
  Maximum go_on(const char* why, bool with_layer = false);

  EngineOptions options_;
  const EngineEntry* first_;
  const EngineEntry* entry_;
  std::unique_ptr<Engine> engine_;
  std::vector<KeptStorm> storms_;  ///< all so far, while another engine may need them
  const char* why_ = "";           ///< why the engine before gave up
};

/// The engine that goes on where this one gives up; null: it never does.
inline const EngineEntry* next_engine(const EngineEntry& entry) {
  return entry.next == nullptr ? nullptr : find_engine(entry.next);
}

/// Bytes of the storms that are kept while another engine may need them.
std::int64_t bytes_kept(const EngineEntry& entry, std::int64_t impacts);

}  // namespace bombard
