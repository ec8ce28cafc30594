// The quick root, quotient and third on the device against the compiler's IEEE operations. Not a
// sample: every float for the roots and the third; for the quotient every divisor with every
// numerator that could go wrong.

#include <cstdint>

#include "kernels/device_memory.hpp"
#include "kernels/exact_share.cuh"
#include "kernels/launch.cuh"
#include "tests/gpu.hpp"

using namespace bombard;
using namespace bombard::cuda;

namespace {

using Count = unsigned long long;

constexpr unsigned one = 0x3f800000;               // 1.0F as bits
constexpr unsigned end_of_distances = 0x5f800000;  // 2^64: beyond the largest n = 2^62 + 2^61 + 1

__global__ void count_wrong_roots(Count* wrong_roots, Count* wrong_reciprocals) {
  const unsigned bits = one + blockIdx.x * blockDim.x + threadIdx.x;
  if (bits >= end_of_distances) return;
  const float n = __uint_as_float(bits);
  const RootAndReciprocal s(n);
  if (s.root != __fsqrt_rn(n)) atomicAdd(wrong_roots, 1ULL);
  if (s.reciprocal != __frcp_rn(s.root)) atomicAdd(wrong_reciprocals, 1ULL);
}

/// x with odd * x = 1 modulo 2^32: Newton's iteration doubles the right bits, 5 to begin with.
__device__ unsigned inverse(unsigned odd) {
  unsigned x = (3 * odd) ^ 2;
  for (int i = 0; i < 3; ++i) x *= 2 - odd * x;
  return x;
}

/// Numerators that a quotient could round wrongly. With significands A and B (24 bits each) the
/// quotient lies next to a midpoint m of two floats when A 2^k = B m + c, m odd with 25 bits, k =
/// 24 for A >= B and 25 else. The quick quotient is off by less than 1.5 ulp(q) (|1 - b r| + 2^-24)
/// before its last rounding, and A / B is |c| / B half ulps from the midpoint; with r within an ulp
/// of 1/b only |c| <= 12 can round wrongly. All of |c| <= 16 are tried, for the root of every n.
__global__ void count_wrong_hard_quotients(Count* wrong, Count* tried) {
  const unsigned bits = one + blockIdx.x * blockDim.x + threadIdx.x;
  if (bits >= end_of_distances) return;
  const RootAndReciprocal s(__uint_as_float(bits));
  const std::uint64_t b = (__float_as_uint(s.root) & 0x7fffff) | 0x800000;
  const int twos = __ffsll(static_cast<long long>(b)) - 1;
  if (twos > 4) return;  // c is a multiple of 2^twos: none is small enough
  const unsigned odd_inverse = inverse(static_cast<unsigned>(b >> twos));
  Count wrong_here = 0;
  Count tried_here = 0;
  for (int c = -16; c <= 16; ++c) {
    if (c == 0 || c % (1 << twos) != 0) continue;
    for (int k = 24; k <= 25; ++k) {
      // B m = -c modulo 2^k fixes m modulo 2^(k - twos).
      const std::uint64_t period = std::uint64_t{1} << (k - twos);
      const auto wanted = static_cast<unsigned>(-(c >> twos));
      for (std::uint64_t m = (wanted * odd_inverse) & (period - 1); m < (1U << 25); m += period) {
        if (m < (1U << 24) || m % 2 == 0) continue;
        const std::uint64_t a = (b * m + static_cast<std::int64_t>(c)) >> k;
        const bool in_range = a >= (1U << 23) && a < (1U << 24) && (k == 24) == (a >= b);
        if (!in_range) continue;
        const float energy = __uint_as_float(one | (static_cast<unsigned>(a) & 0x7fffff));
        ++tried_here;
        if (quotient(energy, s.root, s.reciprocal) != __fdiv_rn(energy, s.root)) ++wrong_here;
      }
    }
  }
  if (wrong_here != 0) atomicAdd(wrong, wrong_here);
  atomicAdd(tried, tried_here);
}

__device__ std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Energies as the rule makes them, from random v and L, at random integer distances.
__global__ void count_wrong_random_shares(Count* wrong) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (int i = 0; i < 256; ++i) {
    const std::uint64_t x = mixed(thread * 512 + 2 * i);
    const std::uint64_t y = mixed(thread * 512 + 2 * i + 1);
    const auto v = static_cast<std::int32_t>(x) >> (x >> 59);
    const std::int64_t cells = 1 + static_cast<std::int64_t>((x >> 32) >> (y >> 59));
    const auto n =
        static_cast<float>(1 + static_cast<std::int64_t>((y & ~0ULL >> 3) >> (y >> 56 & 63)));
    const float energy = static_cast<float>(v) * 1000.0F / static_cast<float>(cells);
    const float expected = __fdiv_rn(energy, __fsqrt_rn(n));
    if (ExactShare<SquareRootLaw>::of(energy, n) != expected) atomicAdd(wrong, 1ULL);
  }
}

__global__ void count_wrong_thirds(Count* wrong) {
  const std::uint64_t bits = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float a = __uint_as_float(static_cast<unsigned>(bits));
  const unsigned expected = __float_as_uint(__fdiv_rn(a, 3.0F));
  // Infinities are no layer's: a sum of shares is below 2^62 * 2^31 * 1000.
  if (!isinf(a) && !isnan(a) && __float_as_uint(third(a)) != expected) atomicAdd(wrong, 1ULL);
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
  launch("roots", every_distance, count_wrong_roots, counter(0), counter(1));
  const auto [wrong_roots, wrong_reciprocals] = counted();
  EXPECT_EQ(wrong_roots, 0U);
  // The reciprocal need not be right for the quotient to be; on one GPU it was for all but two
  // significands.
  RecordProperty("reciprocals_not_correctly_rounded", std::to_string(wrong_reciprocals));
}

TEST_F(ExactShareTest, QuotientIsRightForEveryRootAndEveryHardNumerator) {
  launch("hard quotients", every_distance, count_wrong_hard_quotients, counter(0), counter(1));
  const auto [wrong, tried] = counted();
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(tried, 1'000'000'000U);
  RecordProperty("hard_quotients", std::to_string(tried));
}

TEST_F(ExactShareTest, ShareIsRightForRandomEnergiesAndDistances) {
  launch("random shares", {1 << 16, 256}, count_wrong_random_shares, counter(0));
  EXPECT_EQ(counted()[0], 0U);
}

TEST_F(ExactShareTest, ThirdIsRightForEveryFloat) {
  launch("thirds", {1 << 24, 256}, count_wrong_thirds, counter(0));
  EXPECT_EQ(counted()[0], 0U);
}

}  // namespace
