#include <cmath>
#include <stdexcept>

#include "kernels/device/device_memory.hpp"
#include "kernels/layer/update.hpp"
#include "tests/kernels/counting/counted_case.hpp"

using namespace bombard;

const bool takes_any_storm = false;

std::vector<std::vector<float>> added(const CountedCase& given) {
  // All energies of a case are integer multiples of a power of two, its `unit`.
  float unit = 0x1p100F;
  for (const ScaledImpact& impact : given.impacts) {
    while (std::fmod(impact.energy, unit) != 0) unit /= 2;
  }
  std::vector<Impact> impacts;
  for (const ScaledImpact& impact : given.impacts) {
    const float units = impact.energy / unit;
    impacts.push_back({impact.position, static_cast<std::int32_t>(units)});
    if (static_cast<float>(impacts.back().energy) != units) throw std::logic_error("an energy");
  }
  const cuda::DeviceArray<Impact> sent{std::span<const Impact>(impacts)};
  cuda::DeviceArray<float> cells{std::span(given.layer)};
  cuda::update_by_counting({unit, 1}, sent.span(), given.first, cells.span());
  std::vector<float> layer(given.layer.size());
  cells.copy_to(layer);
  return {layer};
}
