#include "kernels/layer/initialise.hpp"

#include <algorithm>

namespace bombard::cpu {

void initialise(float value, std::span<float> layer) {
  std::ranges::fill(layer, value);
}

}  // namespace bombard::cpu
