// Sums in order by a warp against the same additions, one after another, on the host.

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/layer/sum_in_order.cuh"
#include "tests/gpu.hpp"
#include "tests/kernels/layer/by_the_rule.hpp"

using namespace bombard;
using namespace bombard::cuda;

namespace {

using SumInOrderOnGpu = GpuTest;

constexpr int count = 16;  ///< addends of a lane, as in kernels/layer/storm_tiles.cu

/// Each warp adds one chain of `pieces` times 32 * count addends, which follow one another.
__global__ void chains_kernel(const float* addends, int pieces, const float* begin, float* end) {
  const std::int64_t chain = blockIdx.x;
  float value = begin[chain];
  for (int piece = 0; piece < pieces; ++piece) {
    const float* const own =
        addends + ((chain * pieces + piece) * 32 + static_cast<int>(threadIdx.x)) * count;
    float addend[count];
    for (int k = 0; k < count; ++k) addend[k] = own[k];
    value = sum_in_order(value, addend);
  }
  if (threadIdx.x == 31) end[chain] = value;  // all lanes have it
}

using Addend = std::function<float(std::mt19937&, int)>;

/// Chains of addend(random, place in the chain), each beginning with its own value.
void expect_the_chains_sums(const Addend& addend, const std::function<float(int)>& begin_of) {
  constexpr int chains = 300;
  constexpr int pieces = 5;
  constexpr int length = pieces * 32 * count;
  std::mt19937 random(7);
  std::vector<float> addends;
  std::vector<float> begin;
  std::vector<float> expected;
  for (int chain = 0; chain < chains; ++chain) {
    float value = begin_of(chain);
    begin.push_back(value);
    for (int i = 0; i < length; ++i) {
      addends.push_back(addend(random, i));
      value += addends.back();
    }
    expected.push_back(value);
  }
  const DeviceArray<float> on_device{std::span<const float>(addends)};
  const DeviceArray<float> begins{std::span<const float>(begin)};
  DeviceArray<float> ends(chains);
  launch("sums in order", {chains, 32}, chains_kernel, on_device.span().data(), pieces,
         begins.span().data(), ends.span().data());
  std::vector<float> end(chains);
  ends.copy_to(end);
  EXPECT_EQ(bits_of(end), bits_of(expected));
}

float zero(int) {
  return 0.0F;
}

float in(std::mt19937& random, float low, float high) {
  return std::uniform_real_distribution<float>(low, high)(random);
}

}  // namespace

TEST_F(SumInOrderOnGpu, Shares) {
  const auto share = [](std::mt19937& random, int) {
    return in(random, 0, 1000) / std::sqrt(std::floor(in(random, 1, 1e6)));
  };
  expect_the_chains_sums(share, zero);
  expect_the_chains_sums(share, [](int chain) { return static_cast<float>(chain) * 1e4F; });
  expect_the_chains_sums(share, [](int chain) { return static_cast<float>(chain) * -300.0F; });
}

TEST_F(SumInOrderOnGpu, NothingIsAdded) {
  const auto nothing = [](std::mt19937&, int) { return 0.0F; };
  expect_the_chains_sums(nothing, zero);
  expect_the_chains_sums(nothing, [](int chain) { return static_cast<float>(chain) / 3; });
}

// Every other addition is a tie: which way it is rounded depends on all additions before it.
TEST_F(SumInOrderOnGpu, Ties) {
  const auto halves = [](std::mt19937& random, int) {
    return 0.5F * static_cast<float>(random() % 8);
  };
  expect_the_chains_sums(halves, [](int chain) { return 0x1p23F + static_cast<float>(chain); });
  const auto both_signs = [](std::mt19937& random, int) {
    return 0.5F * static_cast<float>(static_cast<int>(random() % 9) - 4);
  };
  expect_the_chains_sums(both_signs,
                         [](int chain) { return -0x1.8p23F - static_cast<float>(chain); });
}

// There is rarely a tie, so that most lanes are predicted, but not all.
TEST_F(SumInOrderOnGpu, RareTies) {
  const auto rarely = [](std::mt19937& random, int) {
    return random() % 100 == 0 ? 0.5F : static_cast<float>(random() % 50);
  };
  expect_the_chains_sums(rarely, [](int chain) { return 0x1p23F + static_cast<float>(chain); });
}

TEST_F(SumInOrderOnGpu, PowersOfTwoPassed) {
  const auto doubling = [](std::mt19937& random, int i) {
    return std::ldexp(in(random, 1, 2), i % 200 / 2);
  };
  expect_the_chains_sums(doubling, zero);
  const auto up_and_down = [](std::mt19937& random, int i) {
    return (i / 40 % 2 == 0 ? 1.0F : -1.0F) * in(random, 0, 3);
  };
  expect_the_chains_sums(up_and_down, [](int chain) { return static_cast<float>(chain % 70); });
}

// The sum passes 0 again and again: nothing can be predicted.
TEST_F(SumInOrderOnGpu, AroundZero) {
  const auto around = [](std::mt19937& random, int) { return in(random, -1, 1); };
  expect_the_chains_sums(around, zero);
  const auto cancelling = [](std::mt19937& random, int i) {
    return (i % 2 == 0 ? 1 : -1) * std::ldexp(in(random, 1, 2), static_cast<int>(random() % 60));
  };
  expect_the_chains_sums(cancelling, zero);
}

TEST_F(SumInOrderOnGpu, EndsOfTheRange) {
  const auto anywhere = [](std::mt19937& random, int) {
    return std::ldexp(in(random, -2, 2), static_cast<int>(random() % 230) - 148);
  };
  expect_the_chains_sums(anywhere, zero);
  const auto subnormal = [](std::mt19937& random, int) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(random() % (1U << 21)));
  };
  expect_the_chains_sums(subnormal, zero);
  const auto overflowing = [](std::mt19937& random, int) { return in(random, 0, 3e38F); };
  expect_the_chains_sums(overflowing, zero);
}
