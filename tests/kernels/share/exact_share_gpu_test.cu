// The fast root, quotient and third on the device against the compiler's IEEE operations. This is
// no sample: roots and thirds are tested with every float, quotients with every root and every
// numerator that could go wrong.

#include <array>
#include <cstdint>

#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/share/exact_share.cuh"
#include "tests/gpu.hpp"
#include "tests/kernels/share/hard_quotients.hpp"

using namespace bombard;
using namespace bombard::cuda;
using bombard::tests::visit_hard_numerators;

namespace {

using Count = unsigned long long;

constexpr unsigned one = 0x3f800000;  // 1.0F as bits
constexpr unsigned end_of_distances =
    0x5e800000;  // 2^62: beyond |p| <= 2^61 and a layer of 2^60 cells

__global__ void count_wrong_roots(Count* wrong) {
  const unsigned bits = one + blockIdx.x * blockDim.x + threadIdx.x;
  if (bits >= end_of_distances) return;
  const float n = __uint_as_float(bits);
  if (root(n, approximate_reciprocal_root(n)) != __fsqrt_rn(n)) atomicAdd(wrong, 1ULL);
}

/// Tests every root of a distance for which exact_shares() claim to hold, with every numerator that
/// it could misround: |1 - b r| < 2^-23 even where r is an ulp off, so the sum is off by less than
/// 3 (2^-23 + 2^-24) ulp, 18 steps.
__global__ void count_wrong_exact_quotients(Count* wrong, Count* tried) {
  const unsigned bits = one + blockIdx.x * blockDim.x + threadIdx.x;
  if (bits >= end_of_distances) return;
  const float n = __uint_as_float(bits);
  if (n != truncf(n)) return;
  const auto distance = static_cast<std::int64_t>(n);
  if (!exact_shares_hold(distance, distance)) return;
  const float y = approximate_reciprocal_root(n);
  const float s = root(n, y);
  const float r = reciprocal(s, y);
  Count wrong_here = 0;
  Count tried_here = 0;
  visit_hard_numerators(s, 20, [&](float energy) {
    ++tried_here;
    if (quotient(energy, s, r) != __fdiv_rn(energy, s)) ++wrong_here;
  });
  if (wrong_here != 0) atomicAdd(wrong, wrong_here);
  atomicAdd(tried, tried_here);
}

__global__ void count_wrong_thirds(Count* wrong) {
  const std::uint64_t bits = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float a = __uint_as_float(static_cast<unsigned>(bits));
  const unsigned expected = __float_as_uint(__fdiv_rn(a, 3.0F));
  float third[1] = {a};
  thirds(third);
  if (!isnan(a) && __float_as_uint(third[0]) != expected) atomicAdd(wrong, 1ULL);
}

class ExactShareTest : public GpuTest {
 protected:
  /// Two counters, zero at first.
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    counters_ = DeviceArray<Count>(std::span<const Count>(std::array<Count, 2>{}));
  }
  Count* counter(int i) { return counters_.span().data() + i; }
  std::array<Count, 2> counted() {
    std::array<Count, 2> values;
    counters_.copy_to(values);
    return values;
  }

  static constexpr LaunchShape every_distance = {(end_of_distances - one + 255) / 256, 256};

 private:
  DeviceArray<Count> counters_;
};

TEST_F(ExactShareTest, RootIsRightForEveryFloatDistance) {
  launch("roots", every_distance, count_wrong_roots, counter(0));
  EXPECT_EQ(counted()[0], 0U);
}

TEST_F(ExactShareTest, QuotientIsRightForEveryRootAndEveryHardNumerator) {
  launch("exact quotients", every_distance, count_wrong_exact_quotients, counter(0), counter(1));
  const auto [wrong, tried] = counted();
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(tried, 1'000'000'000U);
}

TEST_F(ExactShareTest, ThirdIsRightForEveryFloat) {
  launch("thirds", {1 << 24, 256}, count_wrong_thirds, counter(0));
  EXPECT_EQ(counted()[0], 0U);
}

}  // namespace
