#include <cub/device/device_reduce.cuh>

#include "kernels/device/device.hpp"
#include "solvers/minima/minima_by_position.hpp"
#include "solvers/sums/operators.cuh"
#include "solvers/timed.hpp"

namespace bombard::cuda {

template <class T>
void minima(std::span<const T> values, std::int64_t stride, std::int64_t matrices,
            std::span<T> minima) {
  if (matrices == 0) return;
  InhouseReduction<Minimum<T>> reduce(matrices, stride, static_cast<int>(matrix_positions));
  reduce(values.data(), minima.data(), true);
}
template void minima<std::int32_t>(std::span<const std::int32_t>, std::int64_t, std::int64_t,
                                   std::span<std::int32_t>);
template void minima<float>(std::span<const float>, std::int64_t, std::int64_t, std::span<float>);
template void minima<double>(std::span<const double>, std::int64_t, std::int64_t,
                             std::span<double>);

namespace {

template <class T>
void cub_minima(std::span<const T> values, std::int64_t matrices, std::span<T> minima,
                KernelTiming* timing) {
  std::size_t bytes = 0;
  check(cub::DeviceReduce::Min(nullptr, bytes, values.data(), minima.data(), matrices),
        "sizing CUB's minimum");
  DeviceArray<std::byte> workspace(static_cast<std::int64_t>(bytes));
  run_timed(timing, [&] {
    for (std::int64_t position = 0; position < matrix_positions; ++position) {
      check(cub::DeviceReduce::Min(workspace.span().data(), bytes,
                                   values.data() + position * matrices, minima.data() + position,
                                   matrices),
            "CUB's minimum");
    }
  });
}

template <class T>
void minima_on_device(std::span<const T> values, std::int64_t stride, std::int64_t matrices,
                      std::span<T> minima, MinimaKernel kernel, KernelTiming* timing) {
  const DeviceArray<T> there{values};
  DeviceArray<T> minima_there{std::span<const T>(minima)};
  if (kernel == MinimaKernel::cub) {
    cub_minima<T>(there.span(), matrices, minima_there.span(), timing);
  } else {
    run_timed(timing,
              [&] { cuda::minima<T>(there.span(), stride, matrices, minima_there.span()); });
  }
  minima_there.copy_to(minima);
}

const Registered of_integers{DeviceMinimaByPosition<std::int32_t>{minima_on_device}};
const Registered in_single{DeviceMinimaByPosition<float>{minima_on_device}};
const Registered in_double{DeviceMinimaByPosition<double>{minima_on_device}};

}  // namespace

}  // namespace bombard::cuda
