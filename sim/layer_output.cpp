#include "sim/layer_output.hpp"

#include <span>
#include <variant>

namespace bombard {

void LayerOutput::write_layer() {
  if (layers_ == 0 && !communicator_.is_alone()) {
    std::optional<SharedPlace> place;
    if (place_) place = place_();
    file_.emplace(communicator_, place.value_or(SharedPlace{}));
  }
  const std::int64_t layer = layers_++;
  if (!file_ || !file_->seen_by_all()) return engine_.give_layer(sink_);
  std::visit(
      [&]<class Value>(const std::vector<Value>& own) {
        file_->write(layer, engine_.cells(), std::span<const Value>(own));
      },
      engine_.own_layer());
}

void LayerOutput::close() {
  if (file_ && file_->seen_by_all()) file_->close();
}

}  // namespace bombard
