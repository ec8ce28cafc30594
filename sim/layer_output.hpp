#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "bombard/simulation_observer.hpp"
#include "inputs/shared_file.hpp"
#include "sim/ranks/engine_of_ranks.hpp"
#include "sim/ranks/layers_file_of_ranks.hpp"

namespace bombard {

/// The place where the ranks of a run find a file for layers; none where rank 0 has to write it
/// alone. Asked once on rank 0, before the first layer.
using PlaceQuestion = std::function<std::optional<SharedPlace>()>;

/// Layers on their way out of an engine, one after the other: to a file that all ranks write, where
/// each sees it, or piece by piece to rank 0's sink.
class LayerOutput {
 public:
  LayerOutput(Communicator& communicator, const EngineOfRanks& engine, const LayerPieceSink& sink,
              const PlaceQuestion& place)
      : communicator_(communicator), engine_(engine), sink_(sink), place_(place) {}

  /// The engine's layer as it is now.
  void write_layer();
  /// Call it after the last layer.
  void close();

 private:
  Communicator& communicator_;
  const EngineOfRanks& engine_;
  LayerPieceSink sink_;
  PlaceQuestion place_;
  std::int64_t layers_ = 0;
  std::optional<LayersFileOfRanks> file_;  ///< in several ranks, from the first layer on
};

}  // namespace bombard
