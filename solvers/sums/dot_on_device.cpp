#include "kernels/device/device_memory.hpp"
#include "solvers/on_device.hpp"
#include "solvers/sums/row_dots.hpp"

namespace bombard {

namespace {

template <class T>
void dots_on_device(std::int64_t columns, std::span<const T> a, std::span<const T> b,
                    std::span<double> dots) {
  cuda::require_device_memory(
      static_cast<std::int64_t>(a.size_bytes() + b.size_bytes() + dots.size_bytes()),
      "the scalar products");
  const cuda::DeviceArray<T> a_there{a};
  const cuda::DeviceArray<T> b_there{b};
  cuda::DeviceArray<double> there(static_cast<std::int64_t>(dots.size()));
  cuda::row_dots<T>(columns, a_there.span(), b_there.span(), there.span());
  there.copy_to(dots);
}

const Registered in_single{DeviceRowDots<float>{dots_on_device<float>}};
const Registered in_double{DeviceRowDots<double>{dots_on_device<double>}};

}  // namespace

}  // namespace bombard
