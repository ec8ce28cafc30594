// Nothing here is the rule's arithmetic: how sums are rounded is within the proven error
// (docs/methods.md, The convolution), so products and sums are fused.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/convolution.hpp"
#include "kernels/convolution_states.cuh"
#include "kernels/convolution_tile.cuh"
#include "kernels/device.hpp"
#include "kernels/launch.cuh"

namespace bombard::cuda {

namespace {

/// What a tile's impacts add to the states that enter its neighbours, [side][term]: to the right
/// those of chunks first - 2 .. end - 3, to the left those of first + 2 .. end + 1 (the state that
/// enters a tile is that of its first evaluated chunk, from two chunks before it on).
template <class Amount>
__device__ void gather(const Terms& t, const SourceArray<Amount>& sources, std::int64_t tile,
                       double* states) {
  extern __shared__ double memory[];
  const Scratch scratch(memory, t.terms);
  bool any = false;
  surroundings(scratch, t, sources, tile * tile_chunks, any);
  __syncthreads();
  for (int item = threadIdx.x; item < 2 * t.terms; item += tile_threads) {
    const int term = item % t.terms;
    const bool to_right = item < t.terms;
    const double decay = t.decay[term];
    double state = 0;
    if (any && to_right) {
#pragma unroll 4
      for (int c = 0; c < tile_chunks; ++c) {
        state = fma(state, decay, scratch.right[c * t.terms + term]);
      }
    } else if (any) {
#pragma unroll 4
      for (int c = seen_chunks - 1; c >= seen_chunks - tile_chunks; --c) {
        state = fma(state, decay, scratch.left[c * t.terms + term]);
      }
    }
    states[tile * 2 * t.terms + item] = state;
  }
}

/// The tiles that few deposits come near, and those at the ends, where something may lie outside.
struct NearTiles {
  const Deposit* deposits;
  std::int64_t count;  ///< of the deposits; 0: all tiles are meant

  __host__ __device__ std::int64_t blocks(std::int64_t tiles) const {
    return count == 0 ? tiles : 3 * count + 2;
  }
  /// Some come up more than once; -1 is none.
  __device__ std::int64_t operator()(std::int64_t block, std::int64_t tiles) const {
    if (count == 0) return block;
    if (block >= 3 * count) return block == 3 * count ? 0 : tiles - 1;
    const std::int64_t cell = deposits[block / 3].position + first_cell;
    if (cell < 0 || cell >= tiles * tile_cells) return -1;
    const std::int64_t tile = cell / tile_cells + block % 3 - 1;
    return tile < tiles ? tile : -1;
  }
};

/// A block a tile for the energies, and then one for the uncertainties, if those are wanted, too:
/// states are [field][tile][side][term].
__global__ void __launch_bounds__(tile_threads)
    gather_kernel(const Terms t, const NearTiles near, const SourceArray<std::int64_t> energies,
                  const SourceArray<double> uncertainties, double* states) {
  const std::int64_t blocks = near.blocks(t.tiles);
  const std::int64_t tile = near(blockIdx.x % blocks, t.tiles);
  if (tile < 0) return;
  if (blockIdx.x < blocks) {
    gather(t, energies, tile, states);
  } else {
    gather(t, uncertainties, tile, states + 2 * t.terms * t.tiles);
  }
}

/// The layer's cells as the apply kernel works on them.
struct Cells {
  std::int64_t count;
  const double* before;  ///< nullptr: all 0
  double* after;
  const float* uncertainty_before;
  float* uncertainty_after;
  double growth, rounding;
  std::int64_t own_begin, own_end;  ///< cells that may be peaks
  LayerPeak* tile_peaks;
  double* tile_tops;  ///< the largest value plus uncertainty of each tile
  /// Counts the tiles that are done, 0 before and after, for the last one to find the highest of
  /// all peaks; nullptr: a kernel of its own does that.
  unsigned* finished;
  Screened* found;
};

__device__ LayerPeak higher(const LayerPeak& a, const LayerPeak& b) {
  const bool take_b =
      b.cell >= 0 && (a.cell < 0 || b.value > a.value || (b.value == a.value && b.cell < a.cell));
  return take_b ? b : a;
}

__device__ LayerPeak highest_of_warp(LayerPeak peak) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    peak = higher(
        peak, {__shfl_down_sync(~0U, peak.value, lanes), __shfl_down_sync(~0U, peak.cell, lanes)});
  }
  return peak;
}

/// The highest of so many peaks, `stride` apart, by one block; thread 0 knows it.
__device__ LayerPeak highest_of(const LayerPeak* peaks, std::int64_t count, std::int64_t stride) {
  LayerPeak peak{0, -1};
#pragma unroll 4
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) {
    peak = higher(peak, peaks[i * stride]);
  }
  __shared__ LayerPeak of_warp[32];
  peak = highest_of_warp(peak);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = peak;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < static_cast<int>(blockDim.x) / 32; ++w) peak = higher(peak, of_warp[w]);
  }
  return peak;
}

/// As an upper bound for a binary64 value, in binary32 (docs/methods.md, (3)).
__device__ float rounded_up(double bound) {
  return static_cast<float>(fma(bound, 1 + 0x1p-21, 1e-37));
}

/// `cell` counted from the tile's first one, as far as it matters there.
__device__ int in_tile(std::int64_t cell, std::int64_t tile_first) {
  constexpr std::int64_t beyond = 2 * halo;
  return static_cast<int>(min(max(cell - tile_first, -beyond), tile_cells + beyond));
}

/// Adds the sums to a tile's cells, relaxes them and finds the tile's highest peak.
template <bool tracked, int resident_blocks>
__global__ void __launch_bounds__(tile_threads, resident_blocks)
    apply_kernel(const Terms t, const SourceArray<std::int64_t> energies,
                 const SourceArray<double> uncertainties, const double* states, const Cells cells) {
  extern __shared__ double memory[];
  const Scratch scratch(memory, t.terms);
  const std::int64_t tile_first = std::int64_t{blockIdx.x} * tile_cells - first_cell;
  const int thread = static_cast<int>(threadIdx.x);
  const int layer_begin = in_tile(0, tile_first);
  const int layer_end = in_tile(cells.count, tile_first);

  // Before the layer is asked for: what a warp loads comes in this order, and the layer last.
  for (int i = thread; i < near_size; i += tile_threads) scratch.half_near[i] = t.half_near[i];
  OfCells value{};
  OfCells uncertainty{};
  const bool interior = layer_begin < -halo && layer_end >= tile_cells + halo;
  for_each_pair([&](int block, int mirrored, int row, int column) {
    const int i = (row - 1) * width + column;
    double(&pair)[2] = value.of[block][mirrored];
    if (interior && cells.before != nullptr) {
      const double2 two = *reinterpret_cast<const double2*>(cells.before + tile_first + i);
      pair[0] = two.x;
      pair[1] = two.y;
    }
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      if (!interior && (i + c < layer_begin || i + c >= layer_end)) continue;
      if (!interior && cells.before != nullptr) pair[c] = cells.before[tile_first + i + c];
      if constexpr (tracked) {
        uncertainty.of[block][mirrored][c] = cells.uncertainty_before[tile_first + i + c];
      }
    }
  });
  if constexpr (tracked) {
    const OfCells sum = evaluate(scratch, t, uncertainties, states + 2 * t.terms * t.tiles);
    __syncthreads();
#pragma unroll
    for (int block = 0; block < row_blocks; ++block) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        double& known = uncertainty.of[block][c / 2][c % 2];
        known += cells.growth * (known + fabs(value.of[block][c / 2][c % 2])) +
                 sum.of[block][c / 2][c % 2];
      }
    }
  }
  const OfCells sum = evaluate(scratch, t, energies, states);
  __syncthreads();
  for_each_pair([&](int block, int mirrored, int row, int column) {
    const double(&old)[2] = value.of[block][mirrored];
    const double(&added)[2] = sum.of[block][mirrored];
    const double2 here{old[0] + added[0], old[1] + added[1]};
    *reinterpret_cast<double2*>(scratch.value + row * pitch + column) = here;
    if constexpr (tracked) {
      const double(&known)[2] = uncertainty.of[block][mirrored];
      *reinterpret_cast<double2*>(scratch.uncertainty + row * pitch + column) = {
          known[0] + cells.rounding * fabs(here.x), known[1] + cells.rounding * fabs(here.y)};
    }
  });
  __syncthreads();

  // The mean of a cell and its neighbours. The thread's cells have the same column in all their
  // chunks.
  static_assert(tile_threads % width == 0 && tile_cells % tile_threads == 0);
  const int column = thread % width;
  const int to_left = column == 0 ? pitch - width + 1 : 1;
  const int to_right = column == width - 1 ? pitch - width + 1 : 1;
  const auto at = [](const double* values, int i) {
    return values + (i + width) / width * pitch + (i + width) % width;
  };
  const auto mean = [&](const double* values, int i, int left, int right) {
    const double* here = at(values, i);
    return (here[-left] + here[0] + here[right]) * (1.0 / 3);
  };
  const auto at_end = [&](int i) { return i == layer_begin || i == layer_end - 1; };
#pragma unroll
  for (int step = 0; step < tile_cells / tile_threads; ++step) {
    const int i = thread + step * tile_threads;
    scratch.relaxed[i] = mean(scratch.value, i, to_left, to_right);
  }
  if (thread == 0) scratch.relaxed[-1] = mean(scratch.value, -1, 1, pitch - width + 1);
  if (thread == 1) {
    scratch.relaxed[tile_cells] = mean(scratch.value, tile_cells, pitch - width + 1, 1);
  }
  __syncthreads();
  if (!interior) {  // the layer's two ends stay as they are
    for (int i = thread - 1; i <= tile_cells; i += tile_threads) {
      if (at_end(i)) scratch.relaxed[i] = *at(scratch.value, i);
    }
    __syncthreads();
  }

  const int begin = max(layer_begin, 0);
  const int end = min(layer_end, tile_cells);
  const int own_begin = in_tile(cells.own_begin, tile_first);
  const int own_end = in_tile(cells.own_end, tile_first);
  double best = 0;
  int best_cell = -1;
  double top = -INFINITY;
#pragma unroll
  for (int step = 0; step < tile_cells / tile_threads; ++step) {
    const int i = thread + step * tile_threads;
    if (i < begin || i >= end) continue;
    const double here = scratch.relaxed[i];
    cells.after[tile_first + i] = here;
    double bound = here;
    if constexpr (tracked) {
      const float off = rounded_up(at_end(i) ? *at(scratch.uncertainty, i)
                                             : mean(scratch.uncertainty, i, to_left, to_right));
      cells.uncertainty_after[tile_first + i] = off;
      bound += static_cast<double>(off);
    }
    top = fmax(top, bound);
    if (here > scratch.relaxed[i - 1] && here > scratch.relaxed[i + 1]) {
      if (here > best && i >= own_begin && i < own_end) {
        best = here;
        best_cell = i;
      }
    }
  }
  __shared__ LayerPeak peak_of_warp[tile_warps];
  __shared__ double top_of_warp[tile_warps];
  LayerPeak peak = highest_of_warp({best, best_cell < 0 ? -1 : tile_first + best_cell});
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    top = fmax(top, __shfl_down_sync(~0U, top, lanes));
  }
  if (thread % 32 == 0) {
    peak_of_warp[thread / 32] = peak;
    top_of_warp[thread / 32] = top;
  }
  __syncthreads();
  if (thread == 0) {
    for (int w = 1; w < tile_warps; ++w) {
      peak = higher(peak, peak_of_warp[w]);
      top = fmax(top, top_of_warp[w]);
    }
    cells.tile_peaks[blockIdx.x] = peak;
    cells.tile_tops[blockIdx.x] = top;
  }
  if (cells.finished == nullptr) return;

  __shared__ bool last;
  if (thread == 0) {
    __threadfence();
    last = atomicAdd(cells.finished, 1U) + 1 == gridDim.x;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  peak = highest_of(cells.tile_peaks, gridDim.x, 1);
  if (thread == 0) {
    cells.found->peak = peak;
    cells.found->count = 0;
    *cells.finished = 0;
  }
}

/// Of each run of tiles the highest peak, in the place of the run's first: a block each.
constexpr int peak_threads = 256;
constexpr std::int64_t peak_tiles = 1024;
__global__ void __launch_bounds__(peak_threads)
    highest_of_runs_kernel(LayerPeak* of_tile, std::int64_t tiles) {
  const std::int64_t begin = blockIdx.x * peak_tiles;
  const LayerPeak peak = highest_of(of_tile + begin, min(peak_tiles, tiles - begin), 1);
  if (threadIdx.x == 0) of_tile[begin] = peak;
}

__global__ void __launch_bounds__(peak_threads)
    highest_peak_kernel(const LayerPeak* of_tile, std::int64_t runs, Screened* found) {
  const LayerPeak peak = highest_of(of_tile, runs, peak_tiles);
  if (threadIdx.x == 0) {
    found->peak = peak;
    found->count = 0;
  }
}

/// Empties the cells of the deposits to come and all masks.
__global__ void clear_kernel(const Deposit* deposits, std::int64_t count, std::int64_t chunks,
                             std::uint64_t* mask, std::int64_t* energy, double* uncertainty) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t c = thread; c < chunks; c += step) mask[c] = 0;
  for (std::int64_t i = thread; i < count; i += step) {
    const std::int64_t cell = deposits[i].position + first_cell;
    if (cell < 0 || cell >= chunks * chunk_cells) continue;
    energy[cell] = 0;
    if (uncertainty != nullptr) uncertainty[cell] = 0;
  }
}

/// How far off deposit number i may be, as an energy.
__device__ double off(const DepositUncertainty& uncertainty, std::int64_t i, std::int32_t energy) {
  return (uncertainty.first - uncertainty.step * static_cast<double>(i)) *
         fabs(static_cast<double>(energy));
}

/// Adds up what the deposits bring to each cell: energies exactly, in any order. Without `mask` the
/// masks are all set already.
__global__ void deposit_kernel(const Deposit* deposits, std::int64_t count, std::int64_t chunks,
                               std::uint64_t* mask, std::int64_t* energy, double* uncertainty,
                               const DepositUncertainty of_deposit) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const Deposit deposit = deposits[i];
    const std::int64_t cell = deposit.position + first_cell;
    if (cell < 0 || cell >= chunks * chunk_cells) continue;
    atomicAdd(reinterpret_cast<unsigned long long*>(energy + cell),
              static_cast<unsigned long long>(std::int64_t{deposit.energy}));
    if (uncertainty != nullptr) atomicAdd(uncertainty + cell, off(of_deposit, i, deposit.energy));
    if (mask != nullptr) {
      atomicOr(reinterpret_cast<unsigned long long*>(mask + cell / chunk_cells),
               1ULL << (cell % chunk_cells));
    }
  }
}

/// Deposits outside the padded layer, as moments of the chunk next to it: a block a term, always
/// added in the same order. outside is [field][side][term].
constexpr int outside_threads = 256;
__global__ void __launch_bounds__(outside_threads)
    outside_kernel(const Deposit* deposits, std::int64_t count, std::int64_t chunks, int terms,
                   const double* exponents, const DepositUncertainty of_deposit, double* outside) {
  const double a = exponents[blockIdx.x];
  double sum[4] = {};
  // In two levels: few roundings are in each sum, however many impacts there are.
  constexpr std::int64_t part = std::int64_t{outside_threads} * 512;
  for (std::int64_t begin = 0; begin < count; begin += part) {
    double of_part[4] = {};
    for (std::int64_t i = begin + threadIdx.x; i < min(begin + part, count); i += outside_threads) {
      const Deposit deposit = deposits[i];
      const std::int64_t cell = deposit.position + first_cell;
      const std::int64_t end = chunks * chunk_cells;
      if (cell >= 0 && cell < end) continue;
      const int side = cell < 0 ? 0 : 1;
      const double distance = static_cast<double>(side == 0 ? -1 - cell : cell - end);
      const double factor = exp(a * (half_width - 0.5 - distance));
      of_part[side] = fma(static_cast<double>(deposit.energy), factor, of_part[side]);
      of_part[2 + side] = fma(off(of_deposit, i, deposit.energy), factor, of_part[2 + side]);
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

__global__ void start_uncertainty_kernel(const double* layer, std::int64_t cells, double factor,
                                         float* uncertainty) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  uncertainty[i] = layer == nullptr ? 0.0F : rounded_up(factor * fabs(layer[i]));
}

/// Notes every cell that may be the largest peak: value + uncertainty reaches the least possible
/// value of the fast layer's, and the cell may be above its neighbours. A block looks at a few
/// tiles and at the cells of those that reach so far.
constexpr int screened_tiles = 8;
__global__ void __launch_bounds__(tile_threads)
    screen_kernel(const double* layer, const float* uncertainty, double factor, std::int64_t begin,
                  std::int64_t end, std::int64_t tiles, const double* tile_tops,
                  Candidate* candidates, std::int64_t room, const Screened* before,
                  Screened* found) {
  const auto off = [&](std::int64_t cell) {
    return factor * fabs(layer[cell]) +
           (uncertainty != nullptr ? static_cast<double>(uncertainty[cell]) : 0.0);
  };
  const LayerPeak peak = found->peak;
  const double least = peak.cell < 0 ? 0.0 : fmax(0.0, peak.value - off(peak.cell));
  const unsigned long long place = before == nullptr ? 0 : before->place + before->count;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    found->least = least;
    found->place = place;
  }
  const std::int64_t first = std::int64_t{blockIdx.x} * screened_tiles;
  const std::int64_t of_lane = first + threadIdx.x % 32;
  const double top = of_lane < min(first + screened_tiles, tiles) ? tile_tops[of_lane] : -INFINITY;
  unsigned reaching = __ballot_sync(~0U, top + factor * fabs(top) >= least && top > 0);
  for (; reaching != 0; reaching &= reaching - 1) {
    const std::int64_t tile = first + __ffs(static_cast<int>(reaching)) - 1;
    const std::int64_t tile_first = tile * tile_cells - first_cell;
    for (std::int64_t cell = max(tile_first, begin) + threadIdx.x;
         cell < min(tile_first + tile_cells, end); cell += tile_threads) {
      const double upper = layer[cell] + off(cell);
      if (upper < least || upper <= 0 || upper <= layer[cell - 1] - off(cell - 1) ||
          upper <= layer[cell + 1] - off(cell + 1)) {
        continue;
      }
      const auto mine = static_cast<std::int64_t>(place + atomicAdd(&found->count, 1ULL));
      if (mine < room) candidates[mine] = {cell, upper};
    }
  }
}

LaunchShape strided(std::int64_t elements) {
  constexpr std::int64_t most_blocks = 4096;
  const LaunchShape all = one_thread_each(std::max<std::int64_t>(elements, 1));
  return {std::min(all.blocks, most_blocks), all.threads};
}

template <class T>
void set_bytes(std::span<T> memory, int byte) {
  check(cudaMemsetAsync(memory.data(), byte, memory.size_bytes(), nullptr), "setting memory");
}

/// Appends a table of matrix fragments: number(fragment, row, column) for each lane.
template <class Number>
void add_fragments(int count, std::vector<double>& table, const Number& number) {
  for (int fragment = 0; fragment < count; ++fragment) {
    for (int lane = 0; lane < 32; ++lane) table.push_back(number(fragment, lane % 4, lane / 4));
  }
}

std::int64_t chunks_for(std::int64_t cells) {
  return (cells + 2 * chunk_cells + chunk_cells - 1) / chunk_cells;
}
std::int64_t tiles_for(std::int64_t cells) {
  return (chunks_for(cells) + tile_chunks - 1) / tile_chunks;
}

// With so many deposits, one to so many cells, all cells are summed: no mask has to be set for
// each.
constexpr std::int64_t many_deposits = 1 << 20;
constexpr std::int64_t dense_cells_a_deposit = 8;
// With so few, one to so many tiles, most tiles add nothing to the states.
constexpr std::int64_t sparse_tiles_a_deposit = 64;

}  // namespace

ConvolvedLayer::ConvolvedLayer(std::int64_t cells, double power, double scale,
                               double relative_error)
    : cells_(cells),
      chunks_(chunks_for(cells)),
      tiles_(tiles_for(cells)),
      power_(power),
      scale_(scale),
      wanted_error_(relative_error) {
  // Roundings of a share on its way (docs/methods.md, The convolution).
  const std::int64_t scanned = tiles_ <= most_scanned_tiles ? tiles_ : runs_of(tiles_);
  rounding_ = static_cast<double>(3000 + 8 * (scanned / scan_threads)) * 0x1p-53;
  mask_ = DeviceArray<std::uint64_t>(chunks_);
  energy_ = DeviceArray<std::int64_t>(chunks_ * chunk_cells);
  layer_ = DeviceArray<double>(cells);
  next_layer_ = DeviceArray<double>(cells);
  tile_peaks_ = DeviceArray<LayerPeak>(tiles_);
  tile_tops_ = DeviceArray<double>(tiles_);
  finished_ = DeviceArray<unsigned>(1);
  set_bytes(finished_.span(), 0);

  reach(static_cast<double>(chunks_ * chunk_cells));
  allow_shared_memory(gather_kernel);
  allow_shared_memory(apply_kernel<false, 5>);
  allow_shared_memory(apply_kernel<false, 6>);
  allow_shared_memory(apply_kernel<true, 4>);
}

std::int64_t ConvolvedLayer::bytes(std::int64_t cells, bool with_uncertainty) {
  constexpr std::int64_t states = 4 * 80 * sizeof(double);  // both ways, both fields, 80 terms
  constexpr std::int64_t tile = states + sizeof(LayerPeak) + sizeof(double);
  const std::int64_t a_cell = 2 * sizeof(double) + sizeof(std::int64_t) +
                              (with_uncertainty ? 2 * sizeof(float) + sizeof(double) : 0);
  return (chunks_for(cells) * chunk_cells) * a_cell +
         chunks_for(cells) * static_cast<std::int64_t>(sizeof(std::uint64_t)) +
         tiles_for(cells) * tile;
}

/// Tables that cover distances up to this one.
void ConvolvedLayer::reach(double distance) {
  if (tables_ != nullptr && tables_->longest >= distance) return;
  tables_ = std::make_unique<ConvolutionTables>(power_, scale_, 2 * distance, wanted_error_,
                                                ConvolutionTables::Polynomials::at_both);
  const ConvolutionTables& tables = *tables_;
  std::vector<double> exponents = tables.exponents;
  while (exponents.size() % 8 != 4) exponents.push_back(0);  // of terms without weight
  const std::size_t terms = exponents.size();
  std::vector<double> decay;
  for (const double a : exponents) decay.push_back(std::exp(-a * width));
  std::vector<double> half_near(near_size);
  for (int i = 0; i < near_size; ++i) half_near[i] = tables.near[i / 8].lane[i % 8] / 2;

  // The coefficient of x^power for a term, times scale w exp(-a (2 width + 1)) or not.
  const auto shape = [&](std::size_t term, int power) {
    return term < tables.exponents.size() ? tables.shape[term][power] : 0.0;
  };
  const auto target = [&](std::size_t term, int power) {
    if (term >= tables.exponents.size()) return 0.0;
    return scale_ * tables.weights[term] * std::exp(-exponents[term] * (2 * width + 1)) *
           shape(term, power);
  };
  const auto power_of_x = [](int j, int power) { return std::pow(position_in_chunk(j), power); };
  const auto terms_count = static_cast<int>(terms);
  const Fragments count(terms_count);
  std::vector<double> table;
  add_fragments(count.powers, table, [&](int fragment, int row, int column) {
    return power_of_x(fragment / 2 * 4 + row, 2 * column + fragment % 2);
  });
  add_fragments(count.shape, table, [&](int fragment, int row, int column) {
    return shape(fragment / 4 * 8 + column, 2 * (fragment / 2 % 2 * 4 + row) + fragment % 2);
  });
  add_fragments(count.target, table, [&](int fragment, int row, int column) {
    return target(fragment / 2 * 4 + row, 2 * column + fragment % 2);
  });
  add_fragments(count.cells, table, [&](int fragment, int row, int column) {
    return power_of_x(fragment / 4 * 8 + column, 2 * (fragment / 2 % 2 * 4 + row) + fragment % 2);
  });
  fragments_ = DeviceArray<double>(std::span<const double>(table));
  exponents_ = DeviceArray<double>(std::span<const double>(exponents));
  decay_ = DeviceArray<double>(std::span<const double>(decay));
  half_near_ = DeviceArray<double>(std::span<const double>(half_near));
  outside_ = DeviceArray<double>(static_cast<std::int64_t>(4 * terms));
  set_bytes(outside_.span(), 0);
  outside_empty_ = true;
}

void ConvolvedLayer::clear() {
  fresh_ = true;
  tracked_ = false;
}

void ConvolvedLayer::track_uncertainty(double factor) {
  if (uncertainty_.size() == 0) {
    require_device_memory(bytes(cells_, true) - bytes(cells_, false),
                          "the uncertainty of every cell");
    uncertainty_ = DeviceArray<float>(cells_);
    next_uncertainty_ = DeviceArray<float>(cells_);
    uncertainty_sum_ = DeviceArray<double>(chunks_ * chunk_cells);
  }
  tracked_ = true;
  launch("start uncertainty", one_thread_each(cells_), start_uncertainty_kernel,
         fresh_ ? nullptr : layer_.span().data(), cells_, factor, uncertainty_.span().data());
}

void ConvolvedLayer::apply(std::span<const Deposit> deposits, std::int64_t lowest,
                           std::int64_t highest, const UncertaintyGrowth& growth,
                           const DepositUncertainty& uncertainty, std::int64_t own_begin,
                           std::int64_t own_end, Screened* found) {
  const auto count = static_cast<std::int64_t>(deposits.size());
  const std::int64_t padded = chunks_ * chunk_cells;
  const bool outside = count > 0 && (lowest < -first_cell || highest >= padded - first_cell);
  if (outside) {
    reach(std::max(static_cast<double>(highest), static_cast<double>(padded) - lowest) +
          2 * chunk_cells);
  }
  const bool tracked = tracked_;
  const auto terms = static_cast<int>(exponents_.size());
  const std::int64_t a_field = 2 * terms * tiles_;
  const std::int64_t states = (tracked ? 2 : 1) * a_field;
  if (states_.size() < states) {
    states_ = DeviceArray<double>(states);
    run_states_ = DeviceArray<double>(2 * terms * runs_of(tiles_));
  }

  std::uint64_t* const mask = mask_.span().data();
  std::int64_t* const energy = energy_.span().data();
  double* const uncertainty_sum = tracked ? uncertainty_sum_.span().data() : nullptr;
  const bool dense = count > std::max(many_deposits, padded / dense_cells_a_deposit);
  if (dense) {
    set_bytes(mask_.span(), 0xff);
    set_bytes(energy_.span(), 0);
    if (tracked) set_bytes(uncertainty_sum_.span(), 0);
  } else {
    launch("clear", strided(std::max(count, chunks_)), clear_kernel, deposits.data(), count,
           chunks_, mask, energy, uncertainty_sum);
  }
  if (count > 0) {
    launch("deposit", strided(count), deposit_kernel, deposits.data(), count, chunks_,
           dense ? nullptr : mask, energy, uncertainty_sum, uncertainty);
  }
  double* const moments_outside = outside_.span().data();
  if (outside) {
    launch("outside", {terms, outside_threads}, outside_kernel, deposits.data(), count, chunks_,
           terms, exponents_.span().data(), uncertainty, moments_outside);
  } else if (!outside_empty_) {
    set_bytes(outside_.span(), 0);
  }
  outside_empty_ = !outside;

  const Fragments count_of(terms);
  const double* const fragments = fragments_.span().data();
  const Terms t{.terms = terms,
                .chunks = chunks_,
                .tiles = tiles_,
                .decay = decay_.span().data(),
                .powers = fragments,
                .shape = fragments + count_of.powers * 32,
                .target = fragments + (count_of.powers + count_of.shape) * 32,
                .cells = fragments + (count_of.powers + count_of.shape + count_of.target) * 32,
                .half_near = half_near_.span().data()};
  const SourceArray<std::int64_t> energies{mask, energy, moments_outside};
  const SourceArray<double> uncertainties{mask, uncertainty_sum, moments_outside + 2 * terms};
  const Cells cells{.count = cells_,
                    .before = fresh_ ? nullptr : layer_.span().data(),
                    .after = next_layer_.span().data(),
                    .uncertainty_before = uncertainty_.span().data(),
                    .uncertainty_after = next_uncertainty_.span().data(),
                    .growth = growth.growth,
                    .rounding = growth.rounding,
                    .own_begin = std::max<std::int64_t>(own_begin, 1),
                    .own_end = std::min(own_end, cells_ - 1),
                    .tile_peaks = tile_peaks_.span().data(),
                    .tile_tops = tile_tops_.span().data(),
                    .finished = tiles_ <= most_scanned_tiles ? finished_.span().data() : nullptr,
                    .found = found};
  double* const of_values = states_.span().data();

  const int fields = tracked ? 2 : 1;
  const std::int64_t bytes = Scratch::size(terms) * static_cast<std::int64_t>(sizeof(double));
  const double* const exponents = exponents_.span().data();
  const bool sparse = count > 0 && count < tiles_ / sparse_tiles_a_deposit;
  const NearTiles near{deposits.data(), sparse ? count : 0};
  if (sparse) set_bytes(states_.span().first(static_cast<std::size_t>(states)), 0);
  launch("gather", {fields * near.blocks(tiles_), tile_threads, bytes}, gather_kernel, t, near,
         energies, uncertainties, of_values);
  if (tiles_ <= most_scanned_tiles) {
    launch("scan", {fields * 2 * terms, scan_threads}, scan_kernel, terms, tiles_,
           std::int64_t{tile_cells}, exponents, of_values);
  } else {
    const std::int64_t runs = runs_of(tiles_);
    const LaunchShape a_run_each{runs, (2 * terms + 31) / 32 * 32};
    double* const of_run = run_states_.span().data();
    for (int field = 0; field < fields; ++field) {
      double* const to = of_values + field * a_field;
      launch("add runs", a_run_each, add_runs_kernel, terms, tiles_, exponents, to, of_run);
      launch("scan", {2 * terms, scan_threads}, scan_kernel, terms, runs, run_tiles * tile_cells,
             exponents, of_run);
      launch("pass runs", a_run_each, pass_runs_kernel, terms, tiles_, exponents, of_run, to);
    }
  }
  // Many tiles gain from registers, few from being all there at once.
  const auto apply_tiles = tracked                        ? apply_kernel<true, 4>
                           : tiles_ <= most_scanned_tiles ? apply_kernel<false, 6>
                                                          : apply_kernel<false, 5>;
  launch("apply", {tiles_, tile_threads, bytes}, apply_tiles, t, energies, uncertainties, of_values,
         cells);

  if (cells.finished == nullptr) {
    const std::int64_t runs = (tiles_ + peak_tiles - 1) / peak_tiles;
    launch("highest of runs", {runs, peak_threads}, highest_of_runs_kernel, cells.tile_peaks,
           tiles_);
    launch("highest peak", {1, peak_threads}, highest_peak_kernel, cells.tile_peaks, runs, found);
  }

  std::swap(layer_, next_layer_);
  std::swap(uncertainty_, next_uncertainty_);
  fresh_ = false;
}

void ConvolvedLayer::screen(double factor, std::int64_t own_begin, std::int64_t own_end,
                            std::span<Candidate> candidates, const Screened* before,
                            Screened* found) const {
  launch("screen", {(tiles_ + screened_tiles - 1) / screened_tiles, tile_threads}, screen_kernel,
         layer_.span().data(), tracked_ ? uncertainty_.span().data() : nullptr, factor,
         std::max<std::int64_t>(own_begin, 1), std::min(own_end, cells_ - 1), tiles_,
         tile_tops_.span().data(), candidates.data(), static_cast<std::int64_t>(candidates.size()),
         before, found);
}

void ConvolvedLayer::values(std::span<double> values) const {
  if (fresh_) {
    std::ranges::fill(values, 0.0);
  } else {
    layer_.copy_to(values);
  }
}

void ConvolvedLayer::uncertainties(std::span<float> uncertainties) const {
  uncertainty_.copy_to(uncertainties);
}

}  // namespace bombard::cuda
