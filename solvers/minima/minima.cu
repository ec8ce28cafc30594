#include <algorithm>
#include <cub/device/device_reduce.cuh>

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "solvers/minima/minima.hpp"
#include "solvers/timed.hpp"

namespace bombard::cuda {

namespace {

/// A matrix as it stands among others, row by row.
template <class T>
struct ThreeByThree {
  T element[9];
};

template <class T>
struct SmallerElements {
  __host__ __device__ ThreeByThree<T> operator()(const ThreeByThree<T>& a,
                                                 const ThreeByThree<T>& b) const {
    ThreeByThree<T> least;
    for (int i = 0; i < 9; ++i) least.element[i] = smaller(a.element[i], b.element[i]);
    return least;
  }
};

template <class T>
void take_on_device(std::span<const T> matrices, std::array<T, 9>& least, KernelTiming* timing) {
  const DeviceArray<T> there{matrices};
  const auto* from = reinterpret_cast<const ThreeByThree<T>*>(there.span().data());
  DeviceArray<ThreeByThree<T>> result(1);
  ThreeByThree<T> minima;
  std::ranges::copy(least, minima.element);
  std::size_t bytes = 0;
  const auto reduce = [&](void* workspace) {
    check(cub::DeviceReduce::Reduce(workspace, bytes, from, result.span().data(),
                                    static_cast<std::int64_t>(matrices.size() / 9),
                                    SmallerElements<T>{}, minima),
          "CUB's minima");
  };
  reduce(nullptr);
  DeviceArray<std::byte> workspace(static_cast<std::int64_t>(bytes));
  run_timed(timing, [&] { reduce(workspace.span().data()); });
  result.copy_to({&minima, 1});
  std::ranges::copy(minima.element, least.begin());
}

const Registered of_integers{DeviceMinima<std::int32_t>{take_on_device}};
const Registered in_single{DeviceMinima<float>{take_on_device}};
const Registered in_double{DeviceMinima<double>{take_on_device}};

}  // namespace

}  // namespace bombard::cuda
