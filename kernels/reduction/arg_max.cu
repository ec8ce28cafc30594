#include <cub/device/device_reduce.cuh>

#include "kernels/device/device_memory.hpp"
#include "kernels/reduction/arg_max.hpp"
#include "kernels/reduction/reduction.cuh"

namespace bombard::cuda {

namespace {

void cub_arg_max(std::span<const float> values, IndexedValue* result) {
  const auto count = static_cast<std::int64_t>(values.size());
  std::size_t bytes = 0;
  check(cub::DeviceReduce::ArgMax(nullptr, bytes, values.data(), &result->value, &result->index,
                                  count),
        "sizing CUB's arg-max");
  DeviceArray<std::byte> workspace(static_cast<std::int64_t>(bytes));
  check(cub::DeviceReduce::ArgMax(workspace.span().data(), bytes, values.data(), &result->value,
                                  &result->index, count),
        "CUB's arg-max");
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
