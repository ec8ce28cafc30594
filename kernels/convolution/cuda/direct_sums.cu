#include <cstddef>
#include <cub/block/block_reduce.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cuda/std/tuple>
#include <utility>

#include "kernels/convolution/cuda/direct_sums.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/layer/cell_range.hpp"

namespace bombard::cuda {

namespace {

/// The number of impacts that have one range of reached cells in common.
constexpr int group_impacts = 1024;
constexpr int sum_threads = 128;
/// The number of impacts, with at most 31 more, that are added to a sum of their own.
constexpr int impacts_of_sum = 1024;

/// 1 / sqrt(n) to within two roundings: an approximation of 20 or more bits and a third-order step.
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

/// Finds reached[b]: no impact of group b reaches any cell outside it. Block b does this.
__global__ void __launch_bounds__(group_impacts)
    reached_kernel(const Impact* impacts, const std::int64_t* reaches, std::int64_t count,
                   CellRange* reached) {
  using Reduce = cub::BlockReduce<CellRange, group_impacts>;
  __shared__ typename Reduce::TempStorage storage;
  const std::int64_t i = std::int64_t{blockIdx.x} * group_impacts + threadIdx.x;
  const std::int64_t own = min(i, count - 1);
  const std::int64_t position = impacts[own].position, reach = reaches[own];
  const CellRange by_all = Reduce(storage).Reduce(
      {position - reach, position + reach}, [](const CellRange& a, const CellRange& b) {
        return CellRange{min(a.begin, b.begin), max(a.end, b.end)};
      });
  if (threadIdx.x == 0) reached[blockIdx.x] = by_all;
}

/// A warp takes consecutive cells, and a lane every 32nd of them. Of 32 impacts at a time, one for
/// each lane, the warp adds those that reach any of its cells.
template <int cells_of_thread, class AnyShare>
__global__ void __launch_bounds__(sum_threads)
    sum_kernel(const Impact* impacts, const std::int64_t* reaches, std::int64_t count,
               const CellRange* reached, std::int64_t origin, const AnyShare attenuation,
               double scale, double* sums, std::int64_t size) {
  constexpr std::int64_t cells = 32 * cells_of_thread;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t warp = (std::int64_t{blockIdx.x} * sum_threads + threadIdx.x) / 32;
  const std::int64_t first = origin + warp * cells;
  double sum[cells_of_thread] = {};
  int added = 0;  // to these sums
  const auto end_sums = [&] {
#pragma unroll
    for (int c = 0; c < cells_of_thread; ++c) {
      const std::int64_t cell = warp * cells + lane + 32 * c;
      if (cell < size) sums[cell] += sum[c];
      sum[c] = 0;
    }
    added = 0;
  };
  const auto add = [&](const Impact& impact, std::int64_t reach) {
    const std::int64_t offset = impact.position - first;
    const auto begin = static_cast<int>(min(max(offset - reach + 1, std::int64_t{0}), cells));
    const auto end = static_cast<int>(min(max(offset + reach, std::int64_t{0}), cells));
    unsigned reaching = __ballot_sync(~0U, begin < end);
    added += __popc(reaching);
    for (; reaching != 0; reaching &= reaching - 1) {
      const int source = __ffs(static_cast<int>(reaching)) - 1;
      const double from_lane = __shfl_sync(~0U, static_cast<double>(offset), source) - lane;
      const double energy = __shfl_sync(~0U, scale * impact.energy, source);
      const int reached_from = __shfl_sync(~0U, begin, source) - lane;
      const int reached_end = __shfl_sync(~0U, end, source) - lane;
#pragma unroll
      for (int c = 0; c < cells_of_thread; ++c) {
        const double own = 32 * c >= reached_from && 32 * c < reached_end ? energy : 0;
        sum[c] = fma(own, attenuation(fabs(from_lane - 32 * c) + 1), sum[c]);
      }
    }
    if (added >= impacts_of_sum) end_sums();
  };
  const std::int64_t groups = (count + group_impacts - 1) / group_impacts;
  for (std::int64_t base = 0; base < groups; base += 32) {
    const CellRange by_any = reached[min(base + lane, groups - 1)];
    unsigned reaching = __ballot_sync(
        ~0U, base + lane < groups && by_any.end > first && by_any.begin < first + cells);
    for (; reaching != 0; reaching &= reaching - 1) {
      const std::int64_t begin = (base + __ffs(static_cast<int>(reaching)) - 1) * group_impacts;
      for (std::int64_t i = begin; i < min(begin + group_impacts, count); i += 32) {
        const bool is_there = i + lane < count;
        add(is_there ? impacts[i + lane] : Impact{}, is_there ? reaches[i + lane] : 0);
      }
    }
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
  DeviceArray<CellRange> reached((count + group_impacts - 1) / group_impacts);
  launch("cells that impacts reach", {reached.size(), group_impacts}, reached_kernel,
         impacts.data(), reaches.data(), count, reached.span().data());
  const auto sum = [&]<int cells_of_thread, class AnyShare>(const AnyShare& share) {
    constexpr std::int64_t cells = sum_threads * cells_of_thread;
    launch("direct sums", {(size + cells - 1) / cells, sum_threads},
           sum_kernel<cells_of_thread, AnyShare>, impacts.data(), reaches.data(), count,
           std::as_const(reached).span().data(), origin, share, scale, sums.data(), size);
  };
  // Many cells for each thread are better, because they share the look at an impact, but small
  // layers need many warps.
  const auto by_size = [&](const auto& share) {
    constexpr std::int64_t large = 1 << 19;
    size < large ? sum.template operator()<4>(share) : sum.template operator()<16>(share);
  };
  attenuation == square_root_attenuation ? by_size(ReciprocalRoot())
                                         : by_size(AnyAttenuation{attenuation});
}

}  // namespace bombard::cuda
