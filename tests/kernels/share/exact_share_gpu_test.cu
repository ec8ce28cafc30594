// The fast root, quotient and third on the device against the compiler's IEEE operations. This is
// no sample: roots and thirds are tested with every float, quotients with every root and every
// numerator that could go wrong.

#include <array>
#include <cstdint>

#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/share/exact_share.cuh"
#include "tests/gpu.hpp"

using namespace bombard;
using namespace bombard::cuda;

namespace {

using Count = unsigned long long;

constexpr unsigned one = 0x3f800000;  // 1.0F as bits
constexpr unsigned end_of_distances =
    0x5e800000;  // 2^62: beyond |p| <= 2^61 and a layer of 2^60 cells

/// x with odd * x = 1 modulo 2^32: Newton's iteration doubles the number of right bits, at first 5.
__device__ unsigned inverse_modulo_2_32(unsigned odd) {
  unsigned x = (3 * odd) ^ 2;
  for (int i = 0; i < 3; ++i) x *= 2 - odd * x;
  return x;
}

/// Calls visit(a) for the numerators 1 <= a < 2 whose quotient by `divisor` lies within |c| <=
/// closest of the midpoint of two neighbouring floats, in units of 2^-24 / B half ulps, where B is
/// the divisor's 24-bit significand. Let A be the numerator's significand: A 2^k = B m + c, where m
/// is odd with 25 bits, and k = 24 for A >= B and 25 otherwise. B m = -c modulo 2^k determines m
/// modulo 2^(k - twos), where twos is the number of factors 2 in B. A quotient computed by
/// q = RN(a r), RN(q + RN(a - q b) r) is off by at most |q - a/b| (|1 - b r| + 2^-24) before its
/// last rounding, and is misrounded only if that reaches the midpoint.
template <class Visit>
__device__ void visit_hard_numerators(float divisor, int closest, Visit visit) {
  const std::uint64_t b = (__float_as_uint(divisor) & 0x7fffff) | 0x800000;
  int twos = 0;
  while ((b >> twos & 1) == 0) ++twos;
  if (closest >> twos == 0) return;  // c is a multiple of 2^twos
  const unsigned odd_inverse = inverse_modulo_2_32(static_cast<unsigned>(b >> twos));
  for (int step = -(closest >> twos); step <= closest >> twos; ++step) {
    if (step == 0) continue;  // a tie is impossible
    const std::int64_t c = std::int64_t{step} * (1 << twos);
    for (int k = 24; k <= 25; ++k) {
      const unsigned period = 1U << (k - twos);
      for (unsigned m = (static_cast<unsigned>(-step) * odd_inverse) & (period - 1); m < (1U << 25);
           m += period) {
        if (m < (1U << 24) || m % 2 == 0) continue;
        const std::uint64_t a = (b * m + static_cast<std::uint64_t>(c)) >> k;
        const bool in_range = a >= (1U << 23) && a < (1U << 24) && (k == 24) == (a >= b);
        if (in_range) visit(__uint_as_float(one | (static_cast<unsigned>(a) & 0x7fffff)));
      }
    }
  }
}

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
