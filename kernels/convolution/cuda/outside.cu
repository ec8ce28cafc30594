#include <cmath>

#include "kernels/convolution/cuda/outside.hpp"
#include "kernels/convolution/cuda/sum_of_block.cuh"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

namespace {

constexpr int outside_threads = 256;

/// One block for each term.
__global__ void __launch_bounds__(outside_threads)
    outside_kernel(const GatheredImpacts storm, bool before_counts, bool behind_counts, int terms,
                   const double* exponents, double unit, double* outside) {
  const double a = exponents[blockIdx.x];
  double sum[4] = {};
  // In two levels: few roundings are in each sum, however many impacts there are
  // (docs/roundings.md, On the GPU, counts those of 512 impacts).
  constexpr std::int64_t impacts_of_sum = 512;
  constexpr std::int64_t part = outside_threads * impacts_of_sum;
  for (std::int64_t begin = 0; begin < storm.count; begin += part) {
    double of_part[4] = {};
    const std::int64_t end = min(begin + part, storm.count);
    for (std::int64_t i = begin + threadIdx.x; i < end; i += outside_threads) {
      const Impact impact = storm.impacts[i];
      const std::int64_t cell = storm.cell_of(impact);
      const bool before = cell < 0;
      if (storm.is_inside(cell) || !(before ? before_counts : behind_counts)) continue;
      const int side = before ? 0 : 1;
      const auto distance =
          static_cast<double>(before ? -1 - cell : cell - storm.chunks * chunk_cells);
      const double factor = exp(a * (unit - distance));
      of_part[side] = fma(static_cast<double>(impact.energy), factor, of_part[side]);
      of_part[2 + side] = fma(storm.off(0, i, impact.energy), factor, of_part[2 + side]);
    }
    for (int k = 0; k < 4; ++k) sum[k] += of_part[k];
  }
  for (int k = 0; k < 4; ++k) {
    const double of_all = sum_of_block<outside_threads>(sum[k]);
    if (threadIdx.x == 0) outside[k * terms + blockIdx.x] = of_all;
  }
}

}  // namespace

Outside::Outside(int terms) : terms_(terms), moments_(4 * terms) {
  set_bytes(moments_.span(), 0);
}

void Outside::gather(const GatheredImpacts& storm, bool before_counts, bool behind_counts,
                     const double* exponents, double unit) {
  empty_ = false;
  launch("outside", {terms_, outside_threads}, outside_kernel, storm, before_counts, behind_counts,
         terms_, exponents, unit, moments_.span().data());
}

void Outside::clear() {
  if (!empty_) set_bytes(moments_.span(), 0);
  empty_ = true;
}

double* Outside::energies_to_add_to() {
  empty_ = false;
  return moments_.span().data();
}

}  // namespace bombard::cuda
