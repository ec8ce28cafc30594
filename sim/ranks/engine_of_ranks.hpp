#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bombard/layer.hpp"
#include "bombard/simulation_observer.hpp"
#include "sim/engine_chain.hpp"
#include "sim/ranks/communicator.hpp"

namespace bombard {

/// A layer that ranks hold together: each has the engine of a part, with a margin of one cell for
/// each storm, and gets all impacts. Rank 0 uses this class as an EngineChain, while the others
/// serve_first_rank(); each member tells them what to do. Nothing crosses but the storms, the
/// maxima, and layers that are asked for.
class EngineOfRanks {
 public:
  /// `options` as for one process, with the whole layer as the part. Throws CannotRun as the engine
  /// does.
  EngineOfRanks(Communicator& ranks, const EngineEntry& entry, const EngineOptions& options);

  /// A line for each rank: where it runs, and which cells it owns.
  const std::vector<std::string>& places() const { return places_; }
  /// The seconds until the GPUs of all ranks had started; they start at the same time.
  double start_seconds() const { return start_seconds_; }

  Maximum apply(KeptStorm storm);
  void reset();
  void begin_with(const LayerView& layer);
  /// Gives the cells of all ranks to the sink, rank by rank.
  void give_layer(const LayerSink& sink);
  /// Of the first rank.
  std::optional<Evidence> evidence() const { return engine_->evidence(); }

 private:
  friend void serve_first_rank(Communicator& ranks);
  explicit EngineOfRanks(Communicator& ranks) : ranks_(ranks) { make({}, {}); }

  void make(std::ptrdiff_t entry, const EngineOptions& options);
  Part part_of(int rank) const;
  Layer zeros(const CellRange& cells) const;

  Communicator& ranks_;
  const EngineEntry* entry_ = nullptr;
  EngineOptions options_;              ///< of this rank
  std::optional<EngineChain> engine_;  ///< none where the rank has no cells
  std::vector<std::string> places_;
  double start_seconds_ = 0;
};

/// The work of every other rank, until rank 0 calls end_service().
void serve_first_rank(Communicator& ranks);
void end_service(Communicator& ranks);

}  // namespace bombard
