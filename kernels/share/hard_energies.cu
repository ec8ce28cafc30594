#include "kernels/device/launch.cuh"
#include "kernels/share/exact_share.cuh"
#include "kernels/share/hard_energies.hpp"
#include "kernels/share/hard_quotients.cuh"

namespace bombard::cuda {

namespace {

__global__ void clear(unsigned* set, std::int64_t words) {
  const std::int64_t word = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (word < words) set[word] = 0;
}

/// y = rsqrt.approx(n) is off by a factor within 2^-22.9 of 1 (PTX ISA) and the root s by one
/// within 2^-24, so |1 - s y| < 2^-22.3. Hence q is off by less than 3.7 ulp and the sum before its
/// last rounding by less than 3.7 (2^-22.3 + 2^-24) ulp, less than 32 steps of 2^-25 ulp; a
/// midpoint is |c| such steps away or more.
constexpr int closest = 32;

/// One thread for each distance: tries each numerator that could go wrong. Setting a bit twice does
/// no harm.
template <class Law>
__global__ void mark_hard_energies(std::int64_t farthest, unsigned* set) {
  const std::int64_t distance = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x + 1;
  if (distance > farthest) return;
  const float n[1] = {static_cast<float>(distance)};
  visit_hard_numerators(Law::divisor(n[0]), closest, [&](float energy) {
    const float energies[1] = {energy};
    float share[1];
    QuickShare<Law>::of(Law(), energies, n, share);
    if (share[0] != energy / Law::divisor(n[0])) {
      const unsigned significand = __float_as_uint(energy) & 0x7fffff;
      atomicOr(&set[significand / 32], 1U << (significand % 32));
    }
  });
}

}  // namespace

template <class Law>
void hard_energies(std::int64_t farthest, std::span<unsigned> set) {
  launch("clear", one_thread_each(significand_words), clear, set.data(), significand_words);
  launch("mark hard energies", one_thread_each(farthest), mark_hard_energies<Law>, farthest,
         set.data());
}

template void hard_energies<SquareRootLaw>(std::int64_t, std::span<unsigned>);

}  // namespace bombard::cuda
