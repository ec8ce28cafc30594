// The screened engine of a GPU.

#include <memory>
#include <utility>

#include "kernels/base/registry.hpp"
#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/screened/cuda_exact_layer.hpp"
#include "sim/engines/screened/cuda_layer.hpp"
#include "sim/engines/screened/screened.hpp"

namespace bombard {

namespace {

std::unique_ptr<Engine> make(const EngineOptions& options) {
  const std::int64_t cells = with_margin(options.part, options.storms).held.count();
  cuda::require_device_memory(cuda::ConvolvedLayer::bytes(cells, true), "cuda_fast");
  auto exact = std::make_unique<CudaExactLayer>(options);
  auto layer = make_cuda_layer(options, exact->storms());
  return std::make_unique<ScreenedEngine>(options, std::move(exact), std::move(layer));
}

const Registered engine{DeviceEngine{"cuda_fast", make}};

}  // namespace

}  // namespace bombard
