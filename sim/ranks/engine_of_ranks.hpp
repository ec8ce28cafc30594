#pragma once

#include <cstdint>
#include <optional>
#include <span>
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
  /// does, or where the ranks of a machine together need too much memory.
  EngineOfRanks(Communicator& ranks, const EngineEntry& entry, const EngineOptions& options);

  /// A line for each rank: where it runs, and which cells it owns.
  const std::vector<std::string>& places() const { return places_; }
  /// The seconds until the GPUs of all ranks had started; they start at the same time.
  double start_seconds() const { return start_seconds_; }

  Maximum apply(KeptStorm storm);
  void reset();
  void begin_with(const LayerView& layer);
  /// Gives the cells of all ranks to the sink, in their order, in pieces: at most this many cells
  /// of another rank are on rank 0 at a time.
  static constexpr std::int64_t most_cells_of_piece = std::int64_t{1} << 22;
  void give_layer(const LayerSink& sink);
  Layer layer();
  std::vector<CellValue> values_at(std::span<const CellRange> cells);
  PeakList highest_peaks(std::int64_t count);
  /// The candidates of all ranks, the largest bound, and whether one of them went direct.
  std::optional<Evidence> evidence() const;

 private:
  friend void serve_first_rank(Communicator& ranks);
  struct Made;
  explicit EngineOfRanks(Communicator& ranks) : ranks_(ranks) {}

  void make(Made made);
  std::int64_t total() const { return options_.part.total; }
  template <class Value>
  Layer held_part(const LayerView& layer);
  template <class Value>
  void give(std::vector<Value> own, const LayerSink& sink);

  Communicator& ranks_;
  const EngineEntry* entry_ = nullptr;
  EngineOptions options_;  ///< of this rank
  CellRange held_;
  std::optional<EngineChain> engine_;  ///< none where the rank has no cells
  std::vector<std::string> places_;
  double start_seconds_ = 0;
  Evidence last_;
};

/// The work of every other rank, until rank 0 calls end_service().
void serve_first_rank(Communicator& ranks);
void end_service(Communicator& ranks);

}  // namespace bombard
