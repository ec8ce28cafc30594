// The fast root, quotient and third on the device against the compiler's IEEE operations. This is
// no sample: roots and thirds are tested with every float, quotients with every divisor and every
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

/// Tests every root of a distance for which ExactShare claims to hold, with every numerator that it
/// could misround: |1 - b r| < 2^-23 even where r is an ulp off, so the sum is off by less than
/// 3 (2^-23 + 2^-24) ulp, 18 steps.
__global__ void count_wrong_exact_quotients(Count* wrong, Count* tried) {
  const unsigned bits = one + blockIdx.x * blockDim.x + threadIdx.x;
  if (bits >= end_of_distances) return;
  const float n = __uint_as_float(bits);
  if (n != truncf(n)) return;
  const auto distance = static_cast<std::int64_t>(n);
  if (!ExactShare<SquareRootLaw>::holds(distance, distance)) return;
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

__device__ std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Tests every significand of a divisor with every numerator that it could misround, if
/// QuotientsHold claims that it does not.
__global__ void count_wrong_general_quotients(Count* wrong, Count* tried) {
  const unsigned significand = blockIdx.x * blockDim.x + threadIdx.x;
  for (const unsigned exponent : {0U, 1U, 30U, 99U}) {
    const float divisor = __uint_as_float(one + (exponent << 23) + significand);
    const float r = reciprocal(divisor, approximate_reciprocal(divisor));
    Count wrong_here = 0;
    Count tried_here = 0;
    visit_hard_numerators(divisor, 20, [&](float energy) {
      const float found = quotient(energy, divisor, r);
      QuotientsHold hold;
      hold.add(divisor, found);
      if (!hold) return;
      ++tried_here;
      if (found != __fdiv_rn(energy, divisor)) ++wrong_here;
    });
    if (wrong_here != 0) atomicAdd(wrong, wrong_here);
    atomicAdd(tried, tried_here);
  }
}

/// Tests energies of any size, at random distances, for each of the laws.
__global__ void count_wrong_general_shares(GeneralLaw law, Count* wrong) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (int i = 0; i < 16; ++i) {
    const std::uint64_t x = mixed(thread * 32 + 2 * i);
    const std::uint64_t y = mixed(thread * 32 + 2 * i + 1);
    const float energy = i == 0 ? 0.0F : __uint_as_float(static_cast<unsigned>(x));
    if (!isfinite(energy)) continue;
    const auto n = static_cast<float>(1 + static_cast<std::int64_t>((y >> 3) >> (y & 63)));
    float share[2];
    ExactShare<GeneralLaw>::of<2>(law, {energy, 3.0F}, {n, n}, share);
    const float divisor = law.divisor(n);
    if (share[0] != energy / divisor || share[1] != 3.0F / divisor) atomicAdd(wrong, 1ULL);
  }
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

TEST_F(ExactShareTest, GeneralQuotientIsRightForEveryDivisorAndEveryHardNumerator) {
  launch("general quotients", {(1 << 23) / 256, 256}, count_wrong_general_quotients, counter(0),
         counter(1));
  const auto [wrong, tried] = counted();
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(tried, 400'000'000U);
}

TEST_F(ExactShareTest, GeneralShareIsTheLawsForRandomEnergiesAndDistances) {
  for (int quarters = GeneralLaw::fewest_quarters; quarters <= GeneralLaw::most_quarters;
       ++quarters) {
    launch("general shares", {1 << 14, 256}, count_wrong_general_shares, GeneralLaw{quarters},
           counter(0));
    EXPECT_EQ(counted()[0], 0U) << quarters;
  }
}

TEST_F(ExactShareTest, ThirdIsRightForEveryFloat) {
  launch("thirds", {1 << 24, 256}, count_wrong_thirds, counter(0));
  EXPECT_EQ(counted()[0], 0U);
}

}  // namespace
