#pragma once

// The energies, and uncertainties, that deposits bring to each cell, and what falls outside the
// layer (docs/methods.md, The convolution).

#include <cstdint>

#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/convolution/cuda/shape.cuh"
#include "kernels/convolution/cuda/storm_list.cuh"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

/// Memory to be emptied, in words of 64 bits.
struct Words {
  std::uint64_t* first;
  std::int64_t count;
};

struct Emptied {
  Words memory[4];
};

/// Empties these memories. Then, for the deposits to come, either gives each chunk that they fall
/// on a place, the number of any of them, or empties the cells that they fall on.
__global__ void clear_kernel(const Emptied emptied, const Impact* deposits, std::int64_t count,
                             const StormList storms, std::int64_t chunks,
                             const SourceArray<std::int64_t> energies, double* uncertainty) {
  let_next_begin();
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (const Words& memory : emptied.memory) {
    for (std::int64_t w = thread; w < memory.count; w += step) memory.first[w] = 0;
  }
  for (std::int64_t i = thread; i < count; i += step) {
    const std::int64_t cell = deposits[i].position + first_cell;
    if (cell < 0 || cell >= chunks * chunk_cells) continue;
    if (energies.place != nullptr) {
      atomicExch(energies.place + cell / chunk_cells, static_cast<unsigned>(i));
    } else {
      const std::int64_t place = storms.of(i) * chunks * chunk_cells + cell;
      energies.amount[place] = 0;
      if (uncertainty != nullptr) uncertainty[place] = 0;
    }
  }
}

/// Adds up what the deposits bring to each cell: energies exactly, in any order. The masks are all
/// set already, or this does it.
__global__ void deposit_kernel(const Impact* deposits, std::int64_t count, const StormList storms,
                               std::int64_t chunks, bool masks_are_set,
                               const SourceArray<std::int64_t> energies, double* uncertainty) {
  follow_previous();
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const Impact deposit = deposits[i];
    const std::int64_t cell = deposit.position + first_cell;
    if (cell < 0 || cell >= chunks * chunk_cells) continue;
    const std::int64_t storm = storms.of(i);
    const SourceArray<std::int64_t> own = energies.of_storm(storm, chunks);
    std::int64_t* const energy = own.of_chunk(cell / chunk_cells) + cell % chunk_cells;
    atomicAdd(reinterpret_cast<unsigned long long*>(energy),
              static_cast<unsigned long long>(std::int64_t{deposit.energy}));
    if (uncertainty != nullptr) {
      atomicAdd(uncertainty + (energy - energies.amount), storms.off(storm, i, deposit.energy));
    }
    if (!masks_are_set) {
      atomicOr(reinterpret_cast<unsigned long long*>(own.mask + cell / chunk_cells),
               1ULL << (cell % chunk_cells));
    }
  }
}

/// Deposits outside the padded layer, as moments of the chunk next to it: one block for each
/// term, which always adds in the same order. outside is [field][side][term]. So many cells from
/// the border of the layer, outwards, a deposit's exponentials are 1. Those before the layer, or
/// behind it, count or are others' (ConvolvedLayer, slabs).
constexpr int outside_threads = 256;
__global__ void __launch_bounds__(outside_threads)
    outside_kernel(const Impact* deposits, std::int64_t count, const StormList storm,
                   std::int64_t chunks, bool before_counts, bool behind_counts, int terms,
                   const double* exponents, double origin, double* outside) {
  const double a = exponents[blockIdx.x];
  double sum[4] = {};
  // In two levels: few roundings are in each sum, however many impacts there are (docs/methods.md,
  // The convolution, counts those of 512 impacts).
  constexpr std::int64_t impacts_of_sum = 512;
  constexpr std::int64_t part = outside_threads * impacts_of_sum;
  for (std::int64_t begin = 0; begin < count; begin += part) {
    double of_part[4] = {};
    for (std::int64_t i = begin + threadIdx.x; i < min(begin + part, count); i += outside_threads) {
      const Impact deposit = deposits[i];
      const std::int64_t cell = deposit.position + first_cell;
      const std::int64_t end = chunks * chunk_cells;
      if (cell < 0 ? !before_counts : cell < end || !behind_counts) continue;
      const int side = cell < 0 ? 0 : 1;
      const double distance = static_cast<double>(side == 0 ? -1 - cell : cell - end);
      const double factor = exp(a * (origin - distance));
      of_part[side] = fma(static_cast<double>(deposit.energy), factor, of_part[side]);
      of_part[2 + side] = fma(storm.off(0, i, deposit.energy), factor, of_part[2 + side]);
    }
    for (int k = 0; k < 4; ++k) sum[k] += of_part[k];
  }
  __shared__ double of_thread[4][outside_threads];
  for (int i = 0; i < 4; ++i) of_thread[i][threadIdx.x] = sum[i];
  __syncthreads();
  for (int step = outside_threads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      for (int i = 0; i < 4; ++i) {
        of_thread[i][threadIdx.x] += of_thread[i][threadIdx.x + step];
      }
    }
    __syncthreads();
  }
  if (threadIdx.x < 4) outside[threadIdx.x * terms + blockIdx.x] = of_thread[threadIdx.x][0];
}

}  // namespace bombard::cuda
