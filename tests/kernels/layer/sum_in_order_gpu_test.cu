// Sums in order by a block against the same additions, one after another, on the host.

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

// As in kernels/layer/storm_tiles.cu.
constexpr int count = 16, warps = 8, threads = 32 * warps;

/// Each block adds one chain of `pieces` times threads * count addends, which follow one another.
__global__ void chains_kernel(const float* addends, int pieces, const float* begin, float* end) {
  __shared__ SumInOrder<warps> shared;
  const std::int64_t chain = blockIdx.x;
  float value = begin[chain];
  for (int piece = 0; piece < pieces; ++piece) {
    const float* const own =
        addends + ((chain * pieces + piece) * threads + static_cast<int>(threadIdx.x)) * count;
    float addend[count];
    for (int k = 0; k < count; ++k) addend[k] = own[k];
    value = sum_in_order(value, addend, shared);
  }
  if (threadIdx.x == 0) end[chain] = value;  // all threads have it
}

float in(std::mt19937& random, float low, float high) {
  return std::uniform_real_distribution<float>(low, high)(random);
}

/// Chains of addend(random, place in the chain). Each begins with begin(number of chain).
struct Chains {
  const char* name;
  std::function<float(std::mt19937&, int)> addend;
  std::function<float(int)> begin = [](int) { return 0.0F; };
};

void expect_the_chains_sums(const Chains& chains_of) {
  SCOPED_TRACE(chains_of.name);
  constexpr int chains = 24;
  constexpr int pieces = 3;
  constexpr int length = pieces * threads * count;
  std::mt19937 random(7);
  std::vector<float> addends;
  std::vector<float> begin;
  std::vector<float> expected;
  for (int chain = 0; chain < chains; ++chain) {
    float value = chains_of.begin(chain);
    begin.push_back(value);
    for (int i = 0; i < length; ++i) {
      addends.push_back(chains_of.addend(random, i));
      value += addends.back();
    }
    expected.push_back(value);
  }
  const DeviceArray<float> on_device{std::span<const float>(addends)};
  const DeviceArray<float> begins{std::span<const float>(begin)};
  DeviceArray<float> ends(chains);
  launch("sums in order", {chains, threads}, chains_kernel, on_device.span().data(), pieces,
         begins.span().data(), ends.span().data());
  std::vector<float> end(chains);
  ends.copy_to(end);
  EXPECT_EQ(bits_of(end), bits_of(expected));
}

TEST_F(SumInOrderOnGpu, IsThatOfTheHost) {
  const auto share = [](std::mt19937& random, int) {
    return in(random, 0, 1000) / std::sqrt(std::floor(in(random, 1, 1e6)));
  };
  const auto nothing = [](std::mt19937&, int) { return 0.0F; };
  const auto from_2_23 = [](int chain) { return 0x1p23F + static_cast<float>(chain); };
  const Chains all[] = {
      {"shares", share},
      {"shares and a sum", share, [](int chain) { return static_cast<float>(chain) * 1e4F; }},
      {"shares and a negative sum", share,
       [](int chain) { return static_cast<float>(chain) * -300.0F; }},
      {"nothing", nothing},
      {"nothing and a sum", nothing, [](int chain) { return static_cast<float>(chain) / 3; }},
      // Every other addition is a tie: how it is rounded depends on all additions before it.
      {"ties", [](std::mt19937& random, int) { return 0.5F * static_cast<float>(random() % 8); },
       from_2_23},
      {"ties of both signs",
       [](std::mt19937& random, int) {
         return 0.5F * static_cast<float>(static_cast<int>(random() % 9) - 4);
       },
       [](int chain) { return -0x1.8p23F - static_cast<float>(chain); }},
      {"rare ties: most threads are predicted, but not all",
       [](std::mt19937& random, int) {
         return random() % 100 == 0 ? 0.5F : static_cast<float>(random() % 50);
       },
       from_2_23},
      {"powers of two are passed upwards",
       [](std::mt19937& random, int i) { return std::ldexp(in(random, 1, 2), i % 200 / 2); }},
      {"and both ways",
       [](std::mt19937& random, int i) {
         return (i / 40 % 2 == 0 ? 1.0F : -1.0F) * in(random, 0, 3);
       },
       [](int chain) { return static_cast<float>(chain % 70); }},
      // Nothing can be predicted.
      {"0 is passed again and again", [](std::mt19937& random, int) { return in(random, -1, 1); }},
      {"0 is passed by addends of all sizes",
       [](std::mt19937& random, int i) {
         return (i % 2 == 0 ? 1 : -1) *
                std::ldexp(in(random, 1, 2), static_cast<int>(random() % 60));
       }},
      {"anywhere",
       [](std::mt19937& random, int) {
         return std::ldexp(in(random, -2, 2), static_cast<int>(random() % 230) - 148);
       }},
      {"subnormal",
       [](std::mt19937& random, int) {
         return std::bit_cast<float>(static_cast<std::uint32_t>(random() % (1U << 21)));
       }},
      {"overflowing", [](std::mt19937& random, int) { return in(random, 0, 3e38F); }}};
  for (const Chains& chains : all) expect_the_chains_sums(chains);
}

}  // namespace
