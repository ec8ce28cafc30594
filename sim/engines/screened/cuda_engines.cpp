// The screened engines of a GPU (screened.hpp), one for each precision.

#include <memory>

#include "kernels/base/registry.hpp"
#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/screened/cuda_layer.hpp"
#include "sim/engines/screened/screened.hpp"

namespace bombard {

namespace {

void require_layer_memory(const EngineOptions& options, const char* engine) {
  const std::int64_t cells = with_margin(options.part, options.storms).held.count();
  cuda::require_device_memory(cuda::ConvolvedLayer::bytes(cells, false), engine);
}

std::unique_ptr<Engine> make_cuda_fast(const EngineOptions& options) {
  return make_cuda_screened(options, 0);
}

std::unique_ptr<Engine> make_cuda_double(const EngineOptions& options) {
  require_layer_memory(options, "cuda_double");
  return std::make_unique<ScreenedEngine>(options, make_cuda_layer(options, nullptr), nullptr, 0);
}

const Registered cuda_fast{DeviceEngine{"cuda_fast", make_cuda_fast}};
const Registered cuda_double{DeviceEngine{"cuda_double", make_cuda_double}};

}  // namespace

std::unique_ptr<Engine> make_cuda_screened(const EngineOptions& options, double cheap) {
  require_layer_memory(options, "cuda_fast");
  const auto pending = std::make_shared<DeviceStorms>(thread_count(options), options.impacts);
  return std::make_unique<ScreenedEngine>(options, make_cuda_layer(options, pending),
                                          make_cuda_exact_layer(options, pending), cheap);
}

}  // namespace bombard
