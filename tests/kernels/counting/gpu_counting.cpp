#include "kernels/device/device_memory.hpp"
#include "kernels/layer/update.hpp"
#include "tests/kernels/counting/counted_case.hpp"

using namespace bombard;

std::vector<float> counted(const CountedCase& given) {
  const cuda::DeviceArray<ScaledImpact> impacts{std::span(given.impacts)};
  cuda::DeviceArray<float> cells{std::span(given.layer)};
  cuda::update_by_counting(LayerRule<SquareRootLaw>{{}, {1, 1}, given.smallest}, impacts.span(),
                           given.smallest == 0, given.first, cells.span());
  std::vector<float> layer(given.layer.size());
  cells.copy_to(layer);
  return layer;
}
