#include "sim/layer_output.hpp"

#include <span>

namespace bombard {

LayerOutput::LayerOutput(Engine& engine, Precision precision, const LayerPieceSink& sink,
                         const PlaceQuestion& place)
    : engine_(engine),
      of_ranks_(dynamic_cast<EngineOfRanks*>(&engine)),
      precision_(precision),
      sink_(sink),
      place_(place) {}

void LayerOutput::write_layer() {
  if (layers_ == 0 && of_ranks_ != nullptr && place_) {
    const std::optional<SharedPlace> place = place_();
    ranks_write_ = place && of_ranks_->open_layers_file(*place);
  }
  const std::int64_t layer = layers_++;
  if (ranks_write_) return of_ranks_->write_layer(layer);
  if (precision_ == Precision::binary64) {
    if (of_ranks_ != nullptr) return of_ranks_->give_layer_in_double(sink_);
    return sink_(std::span<const double>(engine_.layer_in_double()));
  }
  if (of_ranks_ != nullptr) return of_ranks_->give_layer(sink_);
  sink_(std::span<const float>(engine_.layer()));
}

void LayerOutput::close() {
  if (ranks_write_) of_ranks_->close_layers_file();
  ranks_write_ = false;
}

}  // namespace bombard
