#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "bombard/simulation_observer.hpp"
#include "inputs/shared_file.hpp"
#include "sim/engines/engines.hpp"
#include "sim/ranks/engine_of_ranks.hpp"

namespace bombard {

/// Where the ranks of a run find a file for layers; nothing where rank 0 has to write it alone.
/// Asked once, before the first layer.
using PlaceQuestion = std::function<std::optional<SharedPlace>()>;

/// Layers on their way out of an engine, one after the other: to a file that all ranks write, where
/// each sees it, or piece by piece to a sink.
class LayerOutput {
 public:
  LayerOutput(Engine& engine, Precision precision, const LayerPieceSink& sink,
              const PlaceQuestion& place);

  /// The engine's layer as it is now.
  void write_layer();
  /// After the last one.
  void close();

 private:
  Engine& engine_;
  EngineOfRanks* of_ranks_;  ///< the same, or null
  Precision precision_;
  LayerPieceSink sink_;
  PlaceQuestion place_;
  std::int64_t layers_ = 0;
  bool ranks_write_ = false;
};

}  // namespace bombard
