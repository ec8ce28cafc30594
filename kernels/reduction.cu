#include <cub/device/device_reduce.cuh>

#include "kernels/device_memory.hpp"
#include "kernels/reduction.cuh"
#include "kernels/reduction.hpp"

namespace bombard::cuda {

namespace {

IndexedValue cub_arg_max(std::span<const float> values) {
  if (values.empty()) return ArgMax::identity();
  const auto count = static_cast<std::int64_t>(values.size());
  DeviceArray<IndexedValue> answer(1);
  IndexedValue* found = answer.span().data();
  std::size_t bytes = 0;
  check(
      cub::DeviceReduce::ArgMax(nullptr, bytes, values.data(), &found->value, &found->index, count),
      "sizing CUB's arg-max");
  DeviceArray<std::byte> workspace(static_cast<std::int64_t>(bytes));
  check(cub::DeviceReduce::ArgMax(workspace.span().data(), bytes, values.data(), &found->value,
                                  &found->index, count),
        "CUB's arg-max");
  IndexedValue host;
  answer.copy_to({&host, 1});
  return host;
}

}  // namespace

IndexedValue arg_max(std::span<const float> values, Reduction reduction) {
  return reduction == Reduction::cub ? cub_arg_max(values) : reduce<ArgMax, WarpShuffles>(values);
}

template <class T>
SumOf<T> sum(std::span<const T> values) {
  return reduce<Sum<T>, WarpShuffles>(values);
}

template <class T>
T minimum(std::span<const T> values) {
  return reduce<Minimum<T>, WarpShuffles>(values);
}

template <class T>
T maximum(std::span<const T> values) {
  return reduce<Maximum<T>, WarpShuffles>(values);
}

template std::int64_t sum<std::int32_t>(std::span<const std::int32_t>);
template double sum<float>(std::span<const float>);
template double sum<double>(std::span<const double>);
template std::int32_t minimum<std::int32_t>(std::span<const std::int32_t>);
template float minimum<float>(std::span<const float>);
template double minimum<double>(std::span<const double>);
template std::int32_t maximum<std::int32_t>(std::span<const std::int32_t>);
template float maximum<float>(std::span<const float>);
template double maximum<double>(std::span<const double>);

}  // namespace bombard::cuda
