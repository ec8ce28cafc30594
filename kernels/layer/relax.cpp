#include "kernels/layer/relax.hpp"

#include "kernels/layer/vector_kernels.hpp"

namespace bombard::cpu {

void relax(std::span<const float> copy, std::span<float> layer) {
  vector_kernels().relax(copy.data(), layer.data(), static_cast<std::int64_t>(layer.size()));
}

}  // namespace bombard::cpu
