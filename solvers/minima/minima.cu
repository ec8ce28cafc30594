#include <bit>
#include <cuda/std/array>

#include "kernels/device/device.hpp"
#include "solvers/cub_reduction.cuh"
#include "solvers/minima/minima.hpp"

namespace bombard::cuda {

namespace {

/// A matrix as it is stored among others, row by row.
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
void take_on_device(std::span<const T> matrices, std::array<T, 9>& least, KernelFigures* figures) {
  const std::span all(reinterpret_cast<const Elements<T>*>(matrices.data()), matrices.size() / 9);
  least = std::bit_cast<std::array<T, 9>>(
      reduced_by_cub(all, SmallerElements(), std::bit_cast<Elements<T>>(least), figures));
}

template <class T>
std::vector<DeviceMinima<T>> all() {
  return {{"CUB", 0, take_on_device<T>}};
}
const Registered of_integers{all<std::int32_t>()};
const Registered in_single{all<float>()};
const Registered in_double{all<double>()};

}  // namespace

}  // namespace bombard::cuda
