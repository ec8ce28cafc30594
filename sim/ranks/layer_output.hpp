#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "bombard/simulation_observer.hpp"
#include "inputs/shared_file.hpp"
#include "sim/ranks/engine_of_ranks.hpp"

namespace bombard {

/// The place where the ranks of a run find a file for layers; none where rank 0 has to write it
/// alone. Asked once on rank 0, before the first layer.
using PlaceQuestion = std::function<std::optional<SharedPlace>()>;

/// Layers on their way out of an engine, one after the other: to a file into which every rank
/// writes the cells of its slab, where each sees it, or piece by piece to rank 0's sink. Cells that
/// share a block of the file (SharedFile::block_bytes) with cells of other slabs go through rank 0.
/// All ranks call the same members in the same order.
class LayerOutput {
 public:
  LayerOutput(Communicator& communicator, const EngineOfRanks& engine, LayerPieceSink sink,
              PlaceQuestion place)
      : communicator_(communicator),
        engine_(engine),
        sink_(std::move(sink)),
        place_question_(std::move(place)) {}

  /// The engine's layer as it is now.
  void write_layer();
  /// After the last layer: returns when the disk has all that went to a file.
  void close();

 private:
  void find_file();
  void write_own(std::span<const std::byte> own, std::int64_t bytes_of_cell);

  Communicator& communicator_;
  const EngineOfRanks& engine_;
  LayerPieceSink sink_;
  PlaceQuestion place_question_;
  std::int64_t layers_ = 0;  ///< so far
  SharedPlace place_;
  std::unique_ptr<SharedFile> file_;  ///< where all ranks see it
};

}  // namespace bombard
