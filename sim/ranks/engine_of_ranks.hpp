#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bombard/layer.hpp"
#include "bombard/simulation_observer.hpp"
#include "sim/engine_chain.hpp"
#include "sim/ranks/communicator.hpp"

namespace bombard {

/// What a rank does with its part of the layer: an engine on the cells that it owns, with a margin
/// of one cell for each storm. Each of the ranks has one, and all call the same members.
class RankOfLayer {
 public:
  /// `options` as for one process, with the whole layer as the part; rank 0's count. Throws
  /// CannotRun as the engine does, or where the ranks of a machine together need too much memory.
  explicit RankOfLayer(Communicator& ranks, const EngineEntry* entry = nullptr,
                       const EngineOptions& options = {});

  /// A line for each rank: where it runs, and which cells it owns.
  const std::vector<std::string>& places() const { return places_; }

  /// Applies rank 0's storm: all ranks get all its impacts. Returns the layer's maximum, and on
  /// rank 0 how the ranks found it.
  struct Answer {
    Maximum maximum;
    Evidence evidence;
  };
  Answer apply(const StormView& storm_of_rank_0);
  void reset();
  /// Rank 0's layer, all cells of it.
  void begin_with(const LayerView& layer_of_rank_0);
  /// Gives the cells of all ranks to rank 0's sink, in their order, in pieces of at most
  /// most_cells_of_piece of another rank.
  static constexpr std::int64_t most_cells_of_piece = std::int64_t{1} << 22;
  void give_layer(const LayerSink& sink);

 private:
  std::int64_t total() const { return options_.part.total; }
  void gather_places();
  template <class Value>
  Layer held_part(const LayerView& layer);
  template <class Value>
  void give(std::vector<Value> own, const LayerSink& sink);

  Communicator& ranks_;
  EngineOptions options_;  ///< of this rank
  const EngineEntry* entry_;
  CellRange held_;
  std::vector<std::string> places_;
  std::optional<EngineChain> engine_;  ///< none where the rank has no cells
};

/// The layer of all ranks as rank 0 sees it, with the members of an EngineChain, while the others
/// serve_first_rank(). Nothing crosses but the storms, the maxima, and layers that are asked for.
class EngineOfRanks {
 public:
  EngineOfRanks(Communicator& ranks, const EngineEntry& entry, const EngineOptions& options);

  const std::vector<std::string>& places() const { return own_->places(); }
  Maximum apply(const StormView& storm);
  void reset();
  void begin_with(const LayerView& layer);
  void give_layer(const LayerSink& sink);
  Layer layer();
  std::vector<CellValue> values_at(std::span<const CellRange> cells);
  PeakList highest_peaks(std::int64_t count);
  /// The candidates of all ranks, the largest bound, and whether one of them went direct.
  std::optional<Evidence> evidence() const;

 private:
  Communicator& ranks_;
  bool screens_;
  std::unique_ptr<RankOfLayer> own_;
  Evidence last_;
};

/// The work of every other rank, until rank 0 calls end_service().
void serve_first_rank(Communicator& ranks);
void end_service(Communicator& ranks);

}  // namespace bombard
