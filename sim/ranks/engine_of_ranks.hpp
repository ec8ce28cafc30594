#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bombard/simulation_observer.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/ranks/communicator.hpp"
#include "sim/ranks/slab_neighbours.hpp"
#include "sim/ranks/storms_for_slabs.hpp"

namespace bombard {

/// An engine whose layer the ranks hold together, each a slab, with a margin of one cell per storm
/// that it computes itself. All ranks make one and call the same members in the same order. In
/// single precision every rank is given every impact in file order, so the digits are those of one
/// process; of the slabs' maxima the largest one counts, then the smallest position. A storm moves
/// its impacts, 16 bytes each, and some bytes per rank; their number does not depend on the cells.
/// A single process has one slab, and nothing is moved.
class EngineOfRanks {
 public:
  /// `options` as for one process, with the whole layer as the part; threads are those of a rank, 0
  /// for its share of the cores; `device` is the device of this rank. Throws InputError for a
  /// sparse engine in several ranks, CannotRun as the factory does.
  EngineOfRanks(Communicator& communicator, const EngineEntry& entry, const EngineOptions& options);

  /// A line for each rank: where it runs and which cells it owns; no line for a single process.
  std::vector<std::string> places() const;

  /// Applies `count` storms, which rank 0 has, and returns the maximum after each, on all ranks.
  std::vector<Maximum> apply(std::span<const Storm> storms, std::int64_t count);
  /// The two halves of apply(): every rank gets the impacts that it needs, and applies them. In a
  /// single process the storms stay where they are until then. Returns the facts about each storm.
  std::vector<WholeStorm> share(std::span<const Storm> storms, std::int64_t count);
  std::vector<Maximum> apply_shared();

  /// Rank 0's layer, all cells of it.
  void begin_with(const LayerView& layer);

  /// The engine of a single process that stores no layer; null otherwise. The other members that
  /// concern the layer are for engines that store it.
  Engine* sparse() const;
  /// All cells on rank 0, none on the others.
  Layer layer() const;
  std::vector<float> layer_uncertainty() const;

  /// The cells of this rank, in the precision in which they are computed.
  Layer own_layer() const;
  /// Gives the cells of all ranks to rank 0's sink, in pieces: at most this many cells of another
  /// rank are on rank 0 at a time.
  static constexpr std::int64_t most_cells_of_piece = std::int64_t{1} << 22;
  void give_layer(const LayerPieceSink& sink) const;

  /// On rank 0: the candidates of all slabs, the largest bound, and whether one of them went
  /// direct.
  std::vector<Evidence> evidence() const;

 private:
  std::int64_t total() const { return options_.part.total; }
  CellRange own_cells(int rank) const;
  CellRange held_cells(int rank) const;
  CellRange needed_positions(const StormExtent& storm) const;
  template <class Value>
  std::vector<Value> held_part(const LayerView& layer) const;
  template <class Value, class Take>
  void give(std::vector<Value> own, const Take& take) const;
  template <class Value>
  std::vector<Value> gathered(std::vector<Value> own) const;

  Communicator& communicator_;
  const EngineEntry& entry_;
  EngineOptions options_;  ///< of the whole layer, with the threads of this rank
  AnyLayerRule rule_;
  std::optional<SlabNeighbours> neighbours_;   ///< where states are exchanged
  std::unique_ptr<Engine> slab_;               ///< none where the slab has no cells
  std::vector<std::vector<Impact>> received_;  ///< what was shared last, in several ranks
  std::vector<StormView> shared_;              ///< what was shared last
  std::int64_t storms_applied_ = 0;
};

}  // namespace bombard
