#include <bit>
#include <cuda/std/array>

#include "kernels/device/device.hpp"
#include "solvers/cub_reduction.cuh"
#include "solvers/minima/minima.hpp"

namespace bombard::cuda {

namespace {

/// A matrix as it stands among others, row by row.
template <class T>
using Elements = ::cuda::std::array<T, 9>;

struct SmallerElements {
  template <class T>
  __host__ __device__ Elements<T> operator()(const Elements<T>& a, const Elements<T>& b) const {
    Elements<T> least;
    for (int i = 0; i < 9; ++i) least[i] = smaller(a[i], b[i]);
    return least;
  }
};

template <class T>
void take_on_device(std::span<const T> matrices, std::array<T, 9>& least, KernelTiming* timing) {
  const std::span all(reinterpret_cast<const Elements<T>*>(matrices.data()), matrices.size() / 9);
  least = std::bit_cast<std::array<T, 9>>(
      reduced_by_cub(all, SmallerElements(), std::bit_cast<Elements<T>>(least), timing));
}

const Registered of_integers{DeviceMinima<std::int32_t>{take_on_device}};
const Registered in_single{DeviceMinima<float>{take_on_device}};
const Registered in_double{DeviceMinima<double>{take_on_device}};

}  // namespace

}  // namespace bombard::cuda
