#include "solvers/on_device.hpp"

#include "kernels/device/device_memory.hpp"
#include "solvers/jacobi/slices.hpp"
#include "solvers/jacobi/sweeps.hpp"

namespace bombard {

namespace {

/// Sends the vectors, iterates with a matrix that is on the device, and brings x back.
template <class T, class Matrix>
JacobiProgress iterate(const Matrix& a_there, std::span<const T> diagonal, std::span<const T> b,
                       std::span<T> x, const JacobiOptions& options) {
  const cuda::DeviceArray<T> diagonal_there{diagonal};
  const cuda::DeviceArray<T> b_there{b};
  cuda::DeviceArray<T> x_there{std::span<const T>(x)};
  const JacobiProgress progress = in_slices(options, [&](std::int64_t sweeps) {
    return cuda::jacobi<T>(a_there, diagonal_there.span(), b_there.span(), x_there.span(),
                           options.tolerance, sweeps);
  });
  x_there.copy_to(x);
  return progress;
}

/// The matrix's elements, and 16 bytes for each row: vectors, row offsets.
void require_memory(std::size_t matrix_bytes, std::int64_t rows) {
  cuda::require_device_memory(static_cast<std::int64_t>(matrix_bytes) + 16 * rows, "Jacobi");
}

template <class T>
JacobiProgress dense_on_device(const DenseView<T>& a, std::span<const T> diagonal,
                               std::span<const T> b, std::span<T> x, const JacobiOptions& options) {
  require_memory(a.values.size_bytes(), a.rows);
  const cuda::DeviceArray<T> there{a.values};
  return iterate<T>(there.span(), diagonal, b, x, options);
}

template <class T>
JacobiProgress sparse_on_device(const SparseView<T>& a, std::span<const T> diagonal,
                                std::span<const T> b, std::span<T> x,
                                const JacobiOptions& options) {
  require_memory(a.values.size_bytes(), a.rows);
  const cuda::DeviceArray<std::int64_t> offsets{a.row_offsets};
  const cuda::DeviceArray<std::int32_t> columns{a.column_indices};
  const cuda::DeviceArray<T> there{a.values};
  return iterate<T>(CsrView<T>{offsets.span(), columns.span(), there.span()}, diagonal, b, x,
                    options);
}

const Registered in_single{DeviceJacobi<float>{dense_on_device<float>, sparse_on_device<float>}};
const Registered in_double{DeviceJacobi<double>{dense_on_device<double>, sparse_on_device<double>}};

}  // namespace

}  // namespace bombard
