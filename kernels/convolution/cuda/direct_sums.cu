#include <cstddef>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cuda/std/tuple>
#include <type_traits>
#include <utility>

#include "kernels/convolution/cuda/direct_sums.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/layer/cell_range.hpp"

namespace bombard::cuda {

namespace {

constexpr int most_threads = 1024;
/// The impacts of a sum of their own, with at most a block's more.
constexpr int impacts_of_sum = 1024;

/// 1 / sqrt(n) to two roundings: an approximation of 20 bits or more, and a step of third order.
struct ReciprocalRoot {
  __device__ double operator()(double n) const {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(n));
    const double off = fma(-n * y, y, 1.0);
    return fma(y * off, fma(off, 0.375, 0.5), y);
  }
};

struct AnyAttenuation {
  Attenuation attenuation;
  __device__ double operator()(double n) const { return attenuated(attenuation, n); }
};

/// An impact as a block's cells meet it: `offset` from the first of them; it reaches those from
/// `begin` to end - 1.
struct ReachingImpact {
  double offset, energy;
  int begin, end;
};

__device__ ReachingImpact for_block(const Impact& impact, std::int64_t reach, std::int64_t first,
                                    std::int64_t cells, double scale) {
  const std::int64_t offset = impact.position - first;
  return {static_cast<double>(offset), scale * static_cast<double>(impact.energy),
          static_cast<int>(min(max(offset - reach + 1, std::int64_t{0}), cells)),
          static_cast<int>(min(max(offset + reach, std::int64_t{0}), cells))};
}

/// Keeps the impacts of a block's threads, one each, that reach any of its cells, in their order;
/// returns how many they are. All threads take part.
template <int threads>
__device__ int keep_reaching(const ReachingImpact& mine, ReachingImpact* kept) {
  using Scan = cub::BlockScan<int, threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Scan::TempStorage storage;
  const bool reaches = mine.begin < mine.end;
  int place;
  int reaching;
  __syncthreads();  // those kept before are added
  Scan(storage).ExclusiveSum(reaches ? 1 : 0, place, reaching);
  if (reaches) kept[place] = mine;
  __syncthreads();
  return reaching;
}

/// No cell outside reached[b] is reached by any of a block's impacts.
__global__ void __launch_bounds__(most_threads)
    reached_kernel(const Impact* impacts, const std::int64_t* reaches, std::int64_t count,
                   CellRange* reached) {
  using Reduce = cub::BlockReduce<CellRange, most_threads>;
  __shared__ typename Reduce::TempStorage storage;
  const std::int64_t i = std::int64_t{blockIdx.x} * most_threads + threadIdx.x;
  const std::int64_t own = min(i, count - 1);
  const std::int64_t position = impacts[own].position, reach = reaches[own];
  const CellRange by_all = Reduce(storage).Reduce(
      {position - reach, position + reach}, [](const CellRange& a, const CellRange& b) {
        return CellRange{min(a.begin, b.begin), max(a.end, b.end)};
      });
  if (threadIdx.x == 0) reached[blockIdx.x] = by_all;
}

/// A warp takes cells that follow one another, a lane every 32nd of them.
template <int threads, int cells_of_thread, class AnyShare>
__global__ void __launch_bounds__(threads)
    sum_kernel(const Impact* impacts, const std::int64_t* reaches, std::int64_t count,
               const CellRange* reached, std::int64_t origin, const AnyShare attenuation,
               double scale, double* sums, std::int64_t size) {
  __shared__ ReachingImpact kept[threads];
  constexpr int cells = threads * cells_of_thread;
  const std::int64_t first = blockIdx.x * std::int64_t{cells};
  const int warp_begin = static_cast<int>(threadIdx.x) / 32 * 32 * cells_of_thread;
  const int warp_end = warp_begin + 32 * cells_of_thread;
  const int own = warp_begin + static_cast<int>(threadIdx.x) % 32;
  double sum[cells_of_thread] = {};
  int added = 0;  // to these sums
  const auto end_sums = [&] {
#pragma unroll
    for (int c = 0; c < cells_of_thread; ++c) {
      const std::int64_t cell = first + own + 32 * c;
      if (cell < size) sums[cell] += sum[c];
      sum[c] = 0;
    }
    added = 0;
  };
  for (std::int64_t begin = 0; begin < count; begin += threads) {
    const CellRange by_any = reached[begin / most_threads];
    if (by_any.end <= origin + first || by_any.begin >= origin + first + cells) continue;
    const std::int64_t i = begin + threadIdx.x;
    const bool any = i < count;
    const ReachingImpact mine =
        for_block(any ? impacts[i] : Impact{}, any ? reaches[i] : 0, origin + first, cells, scale);
    const int reaching = keep_reaching<threads>(mine, kept);
    for (int k = 0; k < reaching; ++k) {
      const ReachingImpact impact = kept[k];
      if (impact.begin >= warp_end || impact.end <= warp_begin) continue;
      const double offset = impact.offset - own;
#pragma unroll
      for (int c = 0; c < cells_of_thread; ++c) {
        const int cell = own + 32 * c;
        const double energy = cell >= impact.begin && cell < impact.end ? impact.energy : 0;
        sum[c] = fma(energy, attenuation(fabs(offset - 32 * c) + 1), sum[c]);
      }
    }
    added += reaching;
    if (added >= impacts_of_sum) end_sums();
  }
  end_sums();
}

struct ByPosition {
  __host__ __device__ ::cuda::std::tuple<std::int64_t&> operator()(Impact& impact) const {
    return {impact.position};
  }
};

}  // namespace

void sort_by_position(std::span<const Impact> impacts, std::span<Impact> sorted) {
  const auto count = static_cast<std::int64_t>(impacts.size());
  const auto sort = [&](void* workspace, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(workspace, bytes, impacts.data(), sorted.data(), count,
                                          ByPosition());
  };
  std::size_t bytes = 0;
  check(sort(nullptr, bytes), "sizing the sort of impacts");
  DeviceArray<std::byte> workspace;
  workspace.at_least(static_cast<std::int64_t>(bytes), "sorting impacts");
  check(sort(workspace.span().data(), bytes), "sorting impacts");
}

void sum_directly(std::span<const Impact> impacts, std::span<const std::int64_t> reaches,
                  std::int64_t origin, const Attenuation& attenuation, double scale,
                  std::span<double> sums) {
  const auto size = static_cast<std::int64_t>(sums.size());
  const auto count = static_cast<std::int64_t>(impacts.size());
  set_bytes(sums, 0);
  if (count == 0) return;
  DeviceArray<CellRange> reached((count + most_threads - 1) / most_threads);
  launch("cells that impacts reach", {reached.size(), most_threads}, reached_kernel, impacts.data(),
         reaches.data(), count, reached.span().data());
  const auto sum = [&]<int threads, int cells_of_thread>(const auto& share) {
    constexpr std::int64_t cells = threads * cells_of_thread;
    launch("direct sums", {(size + cells - 1) / cells, threads},
           sum_kernel<threads, cells_of_thread, std::decay_t<decltype(share)>>, impacts.data(),
           reaches.data(), count, std::as_const(reached).span().data(), origin, share, scale,
           sums.data(), size);
  };
  // Large blocks look at an impact for more cells at once; small layers need many small ones.
  const auto by_size = [&](const auto& share) {
    constexpr std::int64_t large = 1 << 21;
    size < large ? sum.template operator()<128, 4>(share)
                 : sum.template operator()<most_threads, 16>(share);
  };
  attenuation == square_root_attenuation ? by_size(ReciprocalRoot())
                                         : by_size(AnyAttenuation{attenuation});
}

}  // namespace bombard::cuda
