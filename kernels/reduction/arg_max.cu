#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_reduce.cuh>

#include "kernels/device/device_memory.hpp"
#include "kernels/reduction/arg_max.hpp"
#include "kernels/reduction/reduction.cuh"

namespace bombard::cuda {

namespace {

struct WithIndex {
  const float* values;
  __host__ __device__ IndexedValue operator()(std::int64_t index) const {
    return {values[index], index};
  }
};

struct First {
  __host__ __device__ IndexedValue operator()(const IndexedValue& a, const IndexedValue& b) const {
    return ArgMax::combine(a, b);
  }
};

/// A reduction of pairs, because CUB has its own arg-max of 64-bit counts only since CUDA 13.
void cub_arg_max(std::span<const float> values, IndexedValue* result) {
  const auto count = static_cast<std::int64_t>(values.size());
  const auto pairs = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>{0},
                                                     WithIndex{values.data()});
  std::size_t bytes = 0;
  const auto reduce = [&](void* workspace) {
    check(cub::DeviceReduce::Reduce(workspace, bytes, pairs, result, count, First{},
                                    ArgMax::identity()),
          "CUB's arg-max");
  };
  reduce(nullptr);
  DeviceArray<std::byte> workspace(static_cast<std::int64_t>(bytes));
  reduce(workspace.span().data());
}

}  // namespace

void arg_max(std::span<const float> values, Reduction reduction, std::span<IndexedValue> result) {
  if (reduction == Reduction::cub) {
    cub_arg_max(values, result.data());
  } else {
    const auto count = static_cast<std::int64_t>(values.size());
    InhouseReduction<ArgMax>{count}(values.data(), result.data());
  }
}

IndexedValue arg_max(std::span<const float> values, Reduction reduction) {
  if (values.empty()) return ArgMax::identity();
  DeviceArray<IndexedValue> result(1);
  arg_max(values, reduction, result.span());
  IndexedValue found;
  result.copy_to({&found, 1});
  return found;
}

}  // namespace bombard::cuda
