#include <algorithm>
#include <vector>

#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "solvers/cublas.hpp"
#include "solvers/sums/reduction.hpp"
#include "solvers/sums/row_dots.hpp"
#include "solvers/timed.hpp"

namespace bombard {

namespace {

template <class T>
cuda::DeviceArray<T> sent(std::span<const T> values) {
  cuda::require_device_memory(static_cast<std::int64_t>(values.size_bytes()), "the reduction");
  return cuda::DeviceArray<T>(values);
}

template <class T>
constexpr DeviceReductions<T> reductions{
    [](std::span<const T> values) { return cuda::sum<T>(sent(values).span()); },
    [](std::span<const T> values) { return cuda::maximum<T>(sent(values).span()); }};

const Registered of_integers{reductions<std::int32_t>};
const Registered in_single{reductions<float>};
const Registered in_double{reductions<double>};

template <class T>
void dots_on_device(std::int64_t columns, std::span<const T> a, std::span<const T> b,
                    std::span<double> dots, RowDotsKernel kernel, int threads,
                    KernelTiming* timing) {
  cuda::require_device_memory(
      static_cast<std::int64_t>(a.size_bytes() + b.size_bytes() + dots.size_bytes()),
      "the scalar products");
  const auto rows = static_cast<std::int64_t>(dots.size());
  const cuda::DeviceArray<T> a_there{a};
  const cuda::DeviceArray<T> b_there{b};
  if (kernel == RowDotsKernel::inhouse) {
    cuda::DeviceArray<double> there(rows);
    if (timing != nullptr) there.copy_from(dots);  // so that nothing right is there by chance
    cuda::run_timed(timing, [&] {
      cuda::row_dots<T>(columns, a_there.span(), b_there.span(), there.span(), threads);
    });
    there.copy_to(dots);
    return;
  }
  cuda::DeviceArray<T> there(rows);
  cuda::run_timed(timing, [&] {
    cuda::cublas_batched_dots<T>(rows, columns, a_there.span().data(), b_there.span().data(),
                                 there.span().data());
  });
  std::vector<T> in_t(dots.size());
  there.copy_to(in_t);
  std::ranges::copy(in_t, dots.begin());
}

const Registered dots_in_single{DeviceRowDots<float>{dots_on_device}};
const Registered dots_in_double{DeviceRowDots<double>{dots_on_device}};

}  // namespace

}  // namespace bombard
