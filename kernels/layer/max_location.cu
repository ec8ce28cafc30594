#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cub/device/device_reduce.cuh>

#include "kernels/device/launch.cuh"
#include "kernels/layer/max_location.hpp"
#include "kernels/reduction/highest_peak.cuh"

namespace bombard::cuda {

namespace {

constexpr int threads = 256;
using Highest = HighestPeak<float>;

/// Cell k of a layer if it is a peak.
struct PeakAt {
  const float* layer;
  std::int64_t cells;

  __host__ __device__ IndexedValue operator()(std::int64_t k) const {
    const bool interior = 0 < k && k < cells - 1;
    const bool peak =
        interior && layer[k] > 0 && layer[k] > layer[k - 1] && layer[k] > layer[k + 1];
    return peak ? IndexedValue{layer[k], k} : Highest::identity();
  }
};

/// Each thread takes the highest peak of its cells, each block the highest of its threads, and the
/// last block to finish the highest of all blocks.
__global__ void max_location_kernel(PeakAt peak_at, CellRange own, IndexedValue* of_block,
                                    unsigned* arrived, IndexedValue* highest) {
  const std::int64_t all_threads = std::int64_t{gridDim.x} * threads;
  IndexedValue best = Highest::identity();
  for (std::int64_t k = own.begin + std::int64_t{blockIdx.x} * threads + threadIdx.x; k < own.end;
       k += all_threads) {
    best = higher(best, peak_at(k));
  }
  combine_blocks<Highest, threads>(best, of_block, arrived, highest);
}

struct Higher {
  __host__ __device__ IndexedValue operator()(const IndexedValue& a, const IndexedValue& b) const {
    return higher(a, b);
  }
};

}  // namespace

MaxLocation::MaxLocation(Reduction reduction, std::int64_t cells)
    : reduction_(reduction),
      of_block_(std::clamp<std::int64_t>(
          one_thread_each(cells, threads).blocks, 1,
          std::max<std::int64_t>(1, resident_blocks(max_location_kernel, threads)))) {
  set_bytes(arrived_.span(), 0);
}

IndexedValue MaxLocation::operator()(std::span<const float> layer, const CellRange& own) {
  const PeakAt peak_at{layer.data(), static_cast<std::int64_t>(layer.size())};
  IndexedValue* const highest = highest_.span().data();
  if (reduction_ == Reduction::inhouse) {
    launch("max-location", {of_block_.size(), threads}, max_location_kernel, peak_at, own,
           of_block_.span().data(), arrived_.span().data(), highest);
  } else {
    const auto peaks = thrust::make_transform_iterator(
        thrust::counting_iterator<std::int64_t>{own.begin}, peak_at);
    std::size_t bytes = 0;
    const auto reduce = [&](void* memory) {
      check(cub::DeviceReduce::Reduce(memory, bytes, peaks, highest, own.count(), Higher{},
                                      Highest::identity()),
            "CUB's reduction");
    };
    reduce(nullptr);  // asks for the bytes
    cub_memory_.at_least(static_cast<std::int64_t>(bytes));
    reduce(cub_memory_.span().data());
  }
  IndexedValue found;
  highest_.copy_to({&found, 1});
  return found;
}

}  // namespace bombard::cuda
