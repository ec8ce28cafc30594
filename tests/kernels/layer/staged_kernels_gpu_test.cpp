// The staged kernels on the device: values worked out by hand. (The engine that has them is
// compared with the oracle, tests/sim/engines/.)

#include <cmath>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/layer/copy.hpp"
#include "kernels/layer/max_location.hpp"
#include "kernels/layer/relax.hpp"
#include "kernels/layer/update.hpp"
#include "kernels/share/attenuation.hpp"
#include "tests/gpu.hpp"
#include "tests/kernels/layer/by_the_rule.hpp"

using namespace bombard;

namespace {

LayerRule<SquareRootLaw> rule(float smallest) {
  return {{}, {1, 1}, smallest};
}

std::vector<float> on_host(const cuda::DeviceArray<float>& array) {
  std::vector<float> values(static_cast<std::size_t>(array.size()));
  array.copy_to(values);
  return values;
}

void expect_same_bits(const std::vector<float>& expected, const std::vector<float>& actual) {
  EXPECT_EQ(bits_of(expected), bits_of(actual));
}

using SmallKernels = GpuTest;

TEST_F(SmallKernels, RelaxByHand) {
  const std::vector<float> before{3, 6, 9, 0, 1};
  cuda::DeviceArray<float> layer{std::span(before)};
  cuda::DeviceArray<float> copy(5);
  cuda::copy(layer.span(), copy.span());
  cuda::relax(copy.span(), layer.span());
  expect_same_bits({3, 6, 5, 10.0F / 3, 1}, on_host(layer));
}

TEST_F(SmallKernels, PeaksByHand) {
  // Strict maxima above 0 only: not the ends, not the plateau, not the negative one.
  const std::vector<float> values{9, 1, 4, 2, 3, 3, 1, -5, -2, -7, 8};
  cuda::DeviceArray<float> layer{std::span(values)};
  cuda::DeviceArray<float> peaks(11);
  cuda::mark_peaks(layer.span(), peaks.span());
  expect_same_bits({0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0}, on_host(peaks));
}

TEST_F(SmallKernels, UpdateByHand) {
  // Two impacts of energy 6: shares 6/sqrt(1), 6/sqrt(4), 6/sqrt(9) and none where below 2.5.
  const std::vector<Impact> impacts{{0, 6}, {8, -6}};
  const std::vector<std::int64_t> reach_of{5, 5};
  const std::vector<float> before(9, 1);
  cuda::DeviceArray<Impact> sent{std::span(impacts)};
  cuda::DeviceArray<std::int64_t> reaches{std::span(reach_of)};
  cuda::DeviceArray<float> layer{std::span(before)};
  cuda::update(rule(2.5F), sent.span(), reaches.span(), 0, layer.span());
  const float second = 6 / std::sqrt(2.0F);
  const float third = 6 / std::sqrt(3.0F);
  expect_same_bits({7, 1 + second, 1 + third, 4, 1, -2, 1 - third, 1 - second, -5}, on_host(layer));
}

}  // namespace
