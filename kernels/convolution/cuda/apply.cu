// A storm is added to the layer, tile by tile, in these steps (docs/methods.md, The fast layer):
// states, coefficients, polynomials and near impacts give the storm's sums; these are added to the
// cells, which are then relaxed and searched for their highest peak. A block of threads takes a
// tile.

#include <cmath>
#include <cub/block/block_reduce.cuh>

#include "kernels/convolution/cuda/apply.hpp"
#include "kernels/convolution/cuda/cells.cuh"
#include "kernels/convolution/cuda/tile.cuh"
#include "kernels/device/last_block.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/layer/higher_peak.cuh"

namespace bombard::cuda {

namespace {

/// A state passes the chunks of a tile in four parts at once.
constexpr int parts = 4;

/// Where the sums come from.
enum class Way { polynomials, exponentials, given };

constexpr int coefficients = 2 * parity_coefficients;

/// Shared memory of a block.
template <int own>
struct Scratch {
  static constexpr int evaluated = evaluated_chunks(own);
  /// The number of sums for each coefficient, among which the terms are shared out.
  static constexpr int sums = tile_threads / (2 * evaluated);

  TileSources<own> sources;
  /// The states that enter a part: those that enter the tile, then what each part adds.
  double entering[parts][2][group_terms];
  union {
    OfTerms<own> state;  ///< A and B of each chunk; at first the moments that are added to them
    alignas(16) double sum[sums][evaluated][coefficients];
  };
  /// Coefficients, even ones and then odd ones: of each term's polynomial, and in the end of each
  /// chunk's polynomial.
  union {
    alignas(16) double of_term[group_terms][coefficients];
    alignas(16) double of_chunk[evaluated][coefficients];
  };
  double border[2][evaluated + 2][2];  ///< the first and the last cell of each chunk
};

/// A number for each of a thread's cells. A warp takes every eighth chunk, and a lane two cells of
/// each, which are mirror images of one another.
template <int own>
struct OfCells {
  static constexpr int chunks = evaluated_chunks(own) / tile_warps;
  double of[chunks][2] = {};
};

/// Calls use(i, mirrored, cell) for the thread's cells, counted from the tile's first own cell.
template <int own, class Use>
__device__ void for_each_cell(const Use& use) {
#pragma unroll
  for (int i = 0; i < OfCells<own>::chunks; ++i) {
    const int first = (warp() + i * tile_warps - 1) * width;
    use(i, 0, first + lane());
    use(i, 1, first + width - 1 - lane());
  }
}

/// One field of a storm in a tile.
struct TileField {
  const Tables& t;
  const Tiling& tiling;
  const States& states;
  std::int64_t tile;
  bool any_sources = false;

  /// The state that enters the tile for the thread's term and side, if it takes the first part.
  __device__ double entering(int first) const {
    const int term = first + lane(), side = warp() % 2;
    if (term >= t.terms || warp() >= 2) return 0;
    const std::int64_t on_way = tiling.on_way(side == 0, tile);
    return states.entering[(side * t.terms + term) * tiling.tiles + on_way];
  }
  /// Whether a chunk that the tile sees, or one next to the layer, has a moment.
  __device__ bool any_moments() const { return any_sources || tiling.sees_outside(tile); }
};

/// Finds A and B of the evaluated chunks for the terms from `first` on, from the states that enter
/// the tile and the moments that are added to them on their way. A thread takes a term, a side and
/// a part of the chunks.
template <int own>
__device__ void find_states(Scratch<own>& scratch, const TileField& field, int first,
                            double entering) {
  constexpr int evaluated = evaluated_chunks(own), chunks = evaluated / parts;
  static_assert(tile_warps == 2 * parts && evaluated % parts == 0);
  const Tables& t = field.t;
  const int side = warp() % 2, part = warp() / 2;
  const double decay = first + lane() < t.terms ? t.chunk_decay[first + lane()] : 0;
  double over_part = decay;
#pragma unroll
  for (int c = 1; c < chunks; c *= 2) over_part *= over_part;
  const int way = side == 0 ? 1 : -1;
  double(*const begin)[group_terms + 1] =
      scratch.state[side] + (side == 0 ? part * chunks : evaluated - 1 - part * chunks);
  if (part == 0) scratch.entering[0][side][lane()] = entering;
  if (!field.any_moments()) {
    __syncthreads();
    double state = scratch.entering[0][side][lane()];
    for (int p = 0; p < part; ++p) state *= over_part;
    auto* here = begin;
#pragma unroll
    for (int c = 0; c < chunks; ++c, here += way, state *= decay) (*here)[lane()] = state;
    __syncthreads();
    return;
  }
  add_up_moments(scratch.sources, t, first, field.tiling.first_seen(field.tile),
                 field.tiling.chunks, field.states.outside, scratch.state);
  __syncthreads();
  double sum = 0, added[chunks];
#pragma unroll
  for (int c = 0; c < chunks; ++c) sum = fma(sum, decay, added[c] = begin[c * way][lane()]);
  if (part + 1 < parts) scratch.entering[part + 1][side][lane()] = sum;
  __syncthreads();
  double state = scratch.entering[0][side][lane()];
  for (int p = 1; p <= part; ++p) {
    state = fma(state, over_part, scratch.entering[p][side][lane()]);
  }
#pragma unroll
  for (int c = 0; c < chunks; ++c) {
    begin[c * way][lane()] = state;
    state = fma(state, decay, added[c]);
  }
  __syncthreads();
}

/// The coefficients of the chunks' polynomials: even ones from A + B, odd ones from A - B. A thread
/// adds up some terms for four coefficients of two chunks.
template <int own>
class Coefficients {
 public:
  /// Loads the tables of the terms from `first` on; a barrier must come between this and add().
  __device__ static void load(Scratch<own>& scratch, const Tables& t, int first) {
    const int term = static_cast<int>(threadIdx.x) / parity_coefficients;
    const int power = static_cast<int>(threadIdx.x) % parity_coefficients;
    static_assert(tile_threads == group_terms * parity_coefficients);
    if (first + term >= t.terms) return;
    const int at = (first + term) * parity_coefficients + power;
    scratch.of_term[term][power] = t.even[at];
    scratch.of_term[term][parity_coefficients + power] = t.odd[at];
  }

  __device__ void add(const Scratch<own>& scratch, const Tables& t, int first) {
    const double sign = is_odd() ? -1 : 1;
    for (int j = sum(); j < min(group_terms, t.terms - first); j += Scratch<own>::sums) {
      const auto* const w = reinterpret_cast<const double2*>(&scratch.of_term[j][first_power()]);
      const double2 low = w[0], high = w[1];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const double state =
            fma(sign, scratch.state[1][chunk(k)][j], scratch.state[0][chunk(k)][j]);
        sum_[k][0] = fma(low.x, state, sum_[k][0]);
        sum_[k][1] = fma(low.y, state, sum_[k][1]);
        sum_[k][2] = fma(high.x, state, sum_[k][2]);
        sum_[k][3] = fma(high.y, state, sum_[k][3]);
      }
    }
  }

  /// To be called when all terms have been added.
  __device__ void store(Scratch<own>& scratch) const {
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      auto* const to = reinterpret_cast<double2*>(&scratch.sum[sum()][chunk(k)][first_power()]);
      to[0] = {sum_[k][0], sum_[k][1]};
      to[1] = {sum_[k][2], sum_[k][3]};
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < evaluated * coefficients; i += tile_threads) {
      const int c = i / coefficients, power = i % coefficients;
      double of_all = 0;
#pragma unroll
      for (int s = 0; s < Scratch<own>::sums; ++s) of_all += scratch.sum[s][c][power];
      scratch.of_chunk[c][power] = of_all;
    }
    __syncthreads();
  }

 private:
  static constexpr int evaluated = evaluated_chunks(own);
  static_assert(coefficients == 16);

  __device__ static bool is_odd() {
    return threadIdx.x % 2 != 0;
  }
  __device__ static int first_power() {
    return static_cast<int>(threadIdx.x) % 2 * parity_coefficients +
           static_cast<int>(threadIdx.x) / 2 % 2 * 4;
  }
  __device__ static int chunk(int k) {
    return static_cast<int>(threadIdx.x) / 4 % (evaluated / 2) + k * evaluated / 2;
  }
  __device__ static int sum() {
    return static_cast<int>(threadIdx.x) / (2 * evaluated);
  }

  double sum_[2][4] = {};
};

/// Adds the far part of the thread's cells by Horner's rule, x = (cell - 31.5)/32 in each chunk.
template <int own>
__device__ void add_polynomials(const Scratch<own>& scratch, OfCells<own>& sum) {
  const double x = (lane() - (half_width - 0.5)) / half_width, square = x * x;
#pragma unroll
  for (int i = 0; i < OfCells<own>::chunks; ++i) {
    const auto* const powers =
        reinterpret_cast<const double2*>(scratch.of_chunk[warp() + i * tile_warps]);
    double even = 0, odd = 0;
#pragma unroll
    for (int k = parity_coefficients / 2 - 1; k >= 0; --k) {
      const double2 of_even = powers[k], of_odd = powers[parity_coefficients / 2 + k];
      even = fma(fma(even, square, of_even.y), square, of_even.x);
      odd = fma(fma(odd, square, of_odd.y), square, of_odd.x);
    }
    sum.of[i][0] += fma(x, odd, even);
    sum.of[i][1] += fma(-x, odd, even);
  }
}

/// Adds the far part where the attenuation is too steep for polynomials: each state times the
/// exponential itself.
template <int own>
__device__ void add_exponentials(const Scratch<own>& scratch, const Tables& t, int first,
                                 OfCells<own>& sum) {
  const double* target = t.target + first * width;
  for (int j = 0; j < min(group_terms, t.terms - first); ++j, target += width) {
    const double here = target[lane()], mirrored = target[width - 1 - lane()];
#pragma unroll
    for (int i = 0; i < OfCells<own>::chunks; ++i) {
      const int c = warp() + i * tile_warps;
      const double a = scratch.state[0][c][j], b = scratch.state[1][c][j];
      sum.of[i][0] = fma(a, here, fma(b, mirrored, sum.of[i][0]));
      sum.of[i][1] = fma(a, mirrored, fma(b, here, sum.of[i][1]));
    }
  }
}

/// Adds the near part: the sources of the chunk and of its two neighbours, one by one.
template <int own>
__device__ void add_near_impacts(const TileSources<own>& sources, const double* near,
                                 OfCells<own>& sum) {
#pragma unroll
  for (int i = 0; i < OfCells<own>::chunks; ++i) {
    const int c = warp() + i * tile_warps;
    for (int beside = -1; beside <= 1; ++beside) {
      const int row = c + 1 + beside;
      const double* const shares = near + beside * width;
#pragma unroll 4
      for (int s = 0; s < sources.count[row]; ++s) {
        const double* const from_source = shares + sources.place[row][s];
        const double amount = sources.amount[row][s];
        sum.of[i][0] = fma(amount, from_source[-lane()], sum.of[i][0]);
        sum.of[i][1] = fma(amount, from_source[lane() - (width - 1)], sum.of[i][1]);
      }
    }
  }
}

/// The sums of one field in the thread's cells. All threads must call it; a barrier must come
/// between two calls.
template <int own, Way way>
__device__ OfCells<own> sums_of_tile(Scratch<own>& scratch, const TileStorm& storm,
                                     const Tiling& tiling, Field of, const Place& place) {
  OfCells<own> sum;
  if constexpr (way == Way::given) {
    const double* const sums = storm.sums + place.tile * tiling.cells();
    for_each_cell<own>([&](int i, int mirrored, int cell) {
      if (place.holds(cell, halo)) sum.of[i][mirrored] = sums[cell];
    });
    return sum;
  }
  const Tables& t = storm.tables;
  TileField field{t, tiling, of == of_energies ? storm.states : storm.uncertainty_states,
                  place.tile};
  double entering = field.entering(0);  // loaded before it is needed, like the next ones
  field.any_sources =
      load(storm.sources, of, tiling.first_seen(place.tile), tiling.chunks, scratch.sources);
  Coefficients<own> coefficients;
  for (int first = 0; first < t.terms; first += group_terms) {
    if constexpr (way == Way::polynomials) Coefficients<own>::load(scratch, t, first);
    find_states(scratch, field, first, entering);
    entering = field.entering(first + group_terms);
    if constexpr (way == Way::polynomials) {
      coefficients.add(scratch, t, first);
    } else {
      add_exponentials(scratch, t, first, sum);
    }
    __syncthreads();
  }
  if constexpr (way == Way::polynomials) {
    coefficients.store(scratch);
    add_polynomials(scratch, sum);
  }
  if (field.any_sources) add_near_impacts(scratch.sources, t.near, sum);
  return sum;
}

/// The numbers of the thread's cells before the storm; 0 for those that the tile does not hold.
template <int own, class Number>
__device__ OfCells<own> numbers_before(const InPlace<Number>& numbers, const Place& place) {
  OfCells<own> before;
  const Number* const edges = numbers.edges_before + 2 * place.tile * halo;
  for_each_cell<own>([&](int i, int mirrored, int cell) {
    const Number* here = numbers.of_cell + place.first + cell;
    if (i == 0 && warp() == 0) here = edges + cell;
    if (i == OfCells<own>::chunks - 1 && warp() == tile_warps - 1) {
      here = edges + 2 * halo + cell - own * width;
    }
    if (place.holds(cell, halo)) before.of[i][mirrored] = *here;
  });
  return before;
}

/// Writes one of the thread's numbers for the next storm to the layer and the copy of the edges.
template <int own, class Number>
__device__ void keep(const InPlace<Number>& numbers, const Place& place, int i, int cell,
                     Number number) {
  numbers.of_cell[place.first + cell] = number;
  Number* const edges = numbers.edges_after + 2 * place.tile * halo;
  if (i == 0 && cell < halo) edges[cell] = number;
  const int to_end = cell - own * width;
  if (i == OfCells<own>::chunks - 1 && to_end >= -halo) edges[2 * halo + to_end] = number;
}

/// Calls use(i, mirrored, cell, left, right) for the thread's cells and their neighbours' numbers,
/// which come from other lanes and from the chunks on either side. All threads must call it.
template <int own, class Use>
__device__ void with_neighbours(double (&border)[evaluated_chunks(own) + 2][2],
                                const OfCells<own>& numbers, const Use& use) {
  if (lane() == 0) {
    for_each_cell<own>([&](int i, int mirrored, int) {
      border[1 + warp() + i * tile_warps][mirrored] = numbers.of[i][mirrored];
    });
  }
  __syncthreads();
  for_each_cell<own>([&](int i, int mirrored, int cell) {
    const double(&of)[2] = numbers.of[i];
    const int c = 1 + warp() + i * tile_warps;
    double outwards = __shfl_up_sync(~0U, of[mirrored], 1);
    double inwards = __shfl_down_sync(~0U, of[mirrored], 1);
    if (lane() == 0) outwards = mirrored ? border[c + 1][0] : border[c - 1][1];
    if (lane() == 31) inwards = of[1 - mirrored];
    use(i, mirrored, cell, mirrored ? inwards : outwards, mirrored ? outwards : inwards);
  });
}

/// Each cell becomes the mean of itself and its neighbours; the layer's two ends stay as they are.
template <int own>
__device__ OfCells<own> relaxed(double (&border)[evaluated_chunks(own) + 2][2], const Place& place,
                                const OfCells<own>& numbers) {
  OfCells<own> means;
  with_neighbours<own>(
      border, numbers, [&](int i, int mirrored, int cell, double left, double right) {
        const double here = numbers.of[i][mirrored];
        means.of[i][mirrored] = place.at_end(cell) ? here : (left + here + right) * (1.0 / 3);
      });
  return means;
}

/// The highest peak that was seen, and the largest value plus uncertainty.
struct Highest {
  LayerPeak peak{0, -1};
  double top = -INFINITY;
};

/// Writes the relaxed cells to the layer and looks for the thread's highest peak.
template <int own, bool tracked>
__device__ Highest store(Scratch<own>& scratch, const Cells& cells, const Place& place,
                         const OfCells<own>& value, const OfCells<own>& uncertainty) {
  const int own_begin = place.in_tile(cells.own_begin), own_end = place.in_tile(cells.own_end);
  Highest highest;
  with_neighbours<own>(
      scratch.border[1], value, [&](int i, int mirrored, int cell, double left, double right) {
        if (!place.holds(cell, 0)) return;
        const double here = value.of[i][mirrored];
        double top = here;
        keep<own>(cells.value, place, i, cell, here);
        if constexpr (tracked) {
          const float off = rounded_up(uncertainty.of[i][mirrored]);
          keep<own>(cells.uncertainty, place, i, cell, off);
          top += static_cast<double>(off);
        }
        highest.top = top > highest.top ? top : highest.top;
        if (here > left && here > right && here > 0 && cell >= own_begin && cell < own_end) {
          highest.peak = higher(highest.peak, {here, place.first + cell});
        }
      });
  return highest;
}

struct HigherPeak {
  __device__ LayerPeak operator()(const LayerPeak& a, const LayerPeak& b) const {
    return higher(a, b);
  }
};

/// The highest peak of a block's threads, returned in thread 0. All threads must call it.
__device__ LayerPeak highest_of_block(const LayerPeak& peak) {
  using Reduce = cub::BlockReduce<LayerPeak, tile_threads>;
  __shared__ typename Reduce::TempStorage storage;
  // Most tiles far from the impacts have no peak.
  if (__syncthreads_or(peak.index >= 0) == 0) return peak;
  return Reduce(storage).Reduce(peak, HigherPeak());
}

/// Notes what the threads have found in the tile; the last block combines this for all tiles.
__device__ void note(const Cells& cells, const Place& place, std::int64_t tiles,
                     const Highest& highest) {
  using Reduce = cub::BlockReduce<float, tile_threads>;
  __shared__ typename Reduce::TempStorage storage;
  LayerPeak peak = highest_of_block(highest.peak);
  const float top = Reduce(storage).Reduce(__double2float_ru(highest.top),
                                           [](float a, float b) { return fmaxf(a, b); });
  if (threadIdx.x == 0) {
    cells.tile_peaks[place.tile] = peak;
    cells.tile_tops[place.tile] = top;
  }
  if (!is_last_block(cells.arrived, gridDim.x)) return;
  peak = {0, -1};
#pragma unroll 8
  for (std::int64_t tile = threadIdx.x; tile < tiles; tile += tile_threads) {
    peak = higher(peak, cells.tile_peaks[tile]);
  }
  peak = highest_of_block(peak);
  if (threadIdx.x != 0) return;
  cells.found->peak = peak;
  cells.found->count = 0;
}

/// Prefetches the tile's cells into the second-level cache, where they take no registers.
__device__ void prefetch_values_before(const Cells& cells, const Place& place) {
  constexpr int line = 128 / sizeof(double);
  const int i = line * static_cast<int>(threadIdx.x);
  if (cells.fresh || !place.holds(i, 0)) return;
  asm volatile("prefetch.global.L2 [%0];" ::"l"(cells.value.of_cell + place.first + i));
}

/// The number of blocks on a multiprocessor for which the kernel leaves registers.
template <bool tracked>
constexpr int resident_tiles = tracked ? 3 : 4;

template <int own, Way way, bool tracked>
__global__ void __launch_bounds__(tile_threads, resident_tiles<tracked>)
    apply_kernel(const TileStorm storm, const Tiling tiling, const Cells cells) {
  __shared__ Scratch<own> scratch;
  const Place place(blockIdx.x, own * width, cells.count);
  prefetch_values_before(cells, place);
  const auto values_before = [&] {
    return cells.fresh ? OfCells<own>{} : numbers_before<own>(cells.value, place);
  };
  OfCells<own> uncertainty;
  if constexpr (tracked) {
    uncertainty = sums_of_tile<own, way>(scratch, storm, tiling, of_uncertainties, place);
    const OfCells<own> value = values_before();
    const OfCells<own> before = numbers_before<own>(cells.uncertainty, place);
    for_each_cell<own>([&](int i, int m, int) {
      uncertainty.of[i][m] +=
          before.of[i][m] + cells.growth.growth * (before.of[i][m] + fabs(value.of[i][m]));
    });
    __syncthreads();
  }
  const OfCells<own> sum = sums_of_tile<own, way>(scratch, storm, tiling, of_energies, place);
  OfCells<own> value = values_before();
  for_each_cell<own>([&](int i, int m, int) {
    value.of[i][m] += sum.of[i][m];
    if constexpr (tracked) {
      uncertainty.of[i][m] += cells.growth.rounding * fabs(value.of[i][m]);
    }
  });
  if constexpr (tracked) uncertainty = relaxed(scratch.border[1], place, uncertainty);
  value = relaxed(scratch.border[0], place, value);
  note(cells, place, tiling.tiles, store<own, tracked>(scratch, cells, place, value, uncertainty));
}

template <int own, bool tracked>
auto kernel_for(const TileStorm& storm) {
  if constexpr (!tracked) {
    if (storm.sums != nullptr) return apply_kernel<own, Way::given, false>;
  }
  return storm.tables.target == nullptr ? apply_kernel<own, Way::polynomials, tracked>
                                        : apply_kernel<own, Way::exponentials, tracked>;
}

}  // namespace

void load_apply(bool tracked) {
  load_kernels(apply_kernel<many_chunks, Way::polynomials, false>,
               apply_kernel<few_chunks, Way::polynomials, false>);
  if (!tracked) return;
  load_kernels(apply_kernel<many_chunks, Way::polynomials, true>,
               apply_kernel<few_chunks, Way::polynomials, true>);
}

void apply(const TileStorm& storm, const Tiling& tiling, const Cells& cells, bool tracked) {
  with_chunks_of_tile(tiling.own, [&]<int own>() {
    launch("apply", {tiling.tiles, tile_threads},
           tracked ? kernel_for<own, true>(storm) : kernel_for<own, false>(storm), storm, tiling,
           cells);
  });
}

}  // namespace bombard::cuda
