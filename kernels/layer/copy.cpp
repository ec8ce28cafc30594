#include "kernels/layer/copy.hpp"

#include <algorithm>

namespace bombard::cpu {

void copy(std::span<const float> layer, std::span<float> copy) {
  std::ranges::copy(layer, copy.begin());
}

}  // namespace bombard::cpu
