#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "solvers/jacobi/slices.hpp"
#include "solvers/timed.hpp"

namespace bombard {

namespace {

/// What use() returns for the matrix on the device.
template <class T, class Use>
JacobiProgress with_sent(const DenseView<T>& a, const Use& use) {
  const cuda::DeviceArray<T> values{a.values};
  return use(DenseView<T>{a.rows, a.columns, values.span()});
}
template <class T, class Use>
JacobiProgress with_sent(const SparseView<T>& a, const Use& use) {
  const cuda::DeviceArray<std::int64_t> offsets{a.row_offsets};
  const cuda::DeviceArray<std::int32_t> columns{a.column_indices};
  const cuda::DeviceArray<T> values{a.values};
  return use(SparseView<T>{a.rows, a.columns, offsets.span(), columns.span(), values.span()});
}

template <class T, class Matrix>
JacobiProgress iterate_on_device(const Matrix& a, std::span<const T> diagonal, std::span<const T> b,
                                 std::span<T> x, const JacobiStop& stop, JacobiKernel kernel,
                                 KernelTiming* timing) {
  // The matrix's elements, and 16 bytes for each row: vectors, row offsets.
  cuda::require_device_memory(static_cast<std::int64_t>(a.values.size_bytes()) + 16 * a.rows,
                              "Jacobi");
  return with_sent(a, [&](const Matrix& a_there) {
    const cuda::DeviceArray<T> diagonal_there{diagonal};
    const cuda::DeviceArray<T> b_there{b};
    cuda::DeviceArray<T> x_there(static_cast<std::int64_t>(x.size()));
    JacobiProgress progress;
    cuda::run_timed(timing, [&] {
      x_there.copy_from(x);
      progress = in_slices(stop, [&](std::int64_t sweeps) {
        return cuda::jacobi<T>(a_there, diagonal_there.span(), b_there.span(), x_there.span(),
                               stop.tolerance, sweeps, kernel);
      });
    });
    x_there.copy_to(x);
    return progress;
  });
}

const Registered dense_in_single{DeviceJacobi<float, DenseView<float>>{iterate_on_device}};
const Registered dense_in_double{DeviceJacobi<double, DenseView<double>>{iterate_on_device}};
const Registered sparse_in_single{DeviceJacobi<float, SparseView<float>>{iterate_on_device}};
const Registered sparse_in_double{DeviceJacobi<double, SparseView<double>>{iterate_on_device}};

}  // namespace

}  // namespace bombard
