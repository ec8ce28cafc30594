#include "bombard/solve.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "inputs/byte_count.hpp"
#include "inputs/matrix_set.hpp"
#include "kernels/device/device.hpp"
#include "sim/selection.hpp"
#include "solvers/jacobi/jacobi.hpp"
#include "solvers/minima/minima.hpp"
#include "solvers/product/product.hpp"
#include "solvers/sort/sort.hpp"
#include "solvers/sums/dot.hpp"
#include "solvers/sums/reduce.hpp"
#include "solvers/sums/smaller.hpp"

namespace bombard::solve {

namespace {

DeviceChoice choice(const std::string& device) {
  using Kind = DeviceRequest::Kind;
  const DeviceRequest request = parse_device(device);
  if (request.kind == Kind::cpu) return {DeviceChoice::Kind::cpu, 0};
  if (request.kind == Kind::cuda) return {DeviceChoice::Kind::cuda, request.index};
  return {};
}

/// Throws InputError unless the matrix is what its view says.
template <class T>
void check(const DenseView<T>& a) {
  if (a.rows >= 0 && a.columns >= 0 &&
      static_cast<std::int64_t>(a.values.size()) == byte_count({a.rows, a.columns})) {
    return;
  }
  throw InputError(
      fmt::format("{} values are no matrix of {} x {}", a.values.size(), a.rows, a.columns));
}

template <class T>
void check(const SparseView<T>& a) {
  const auto entries = static_cast<std::int64_t>(a.values.size());
  if (a.rows < 0 || static_cast<std::int64_t>(a.row_offsets.size()) != a.rows + 1 ||
      a.column_indices.size() != a.values.size() || a.row_offsets.front() != 0 ||
      a.row_offsets.back() != entries) {
    throw InputError(
        fmt::format("{} row offsets, {} column indices and {} values are no CSR matrix of {} rows",
                    a.row_offsets.size(), a.column_indices.size(), a.values.size(), a.rows));
  }
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const auto r = static_cast<std::size_t>(row);
    const std::int64_t begin = a.row_offsets[r];
    const std::int64_t end = a.row_offsets[r + 1];
    if (begin > end || end > entries) {
      throw InputError(
          fmt::format("the offsets of row {} are {} and {}: they must not fall, nor "
                      "pass the {} values",
                      row, begin, end, entries));
    }
    std::int64_t before = -1;
    for (std::int64_t entry = begin; entry < end; ++entry) {
      const std::int64_t column = a.column_indices[static_cast<std::size_t>(entry)];
      if (column <= before || column >= a.columns) {
        throw InputError(
            fmt::format("row {} has column {} behind {}: columns must rise and stay "
                        "below {}",
                        row, column, before, a.columns));
      }
      before = column;
    }
  }
}

template <class T, class View>
JacobiResult<T> solved(const View& a, std::span<const T> b, std::span<const T> start,
                       const JacobiSettings& settings) {
  const JacobiOptions options{.tolerance = settings.tolerance,
                              .iteration_limit = settings.iteration_limit,
                              .force = settings.force,
                              .device = choice(settings.device),
                              .error = settings.error,
                              .sweeps = settings.sweeps,
                              .interrupt = settings.interrupt};
  check(a);
  const cuda::CallersDevice callers;
  return bombard::jacobi<T>(a, b, start, options);
}

ProductKernel product_kernel(const std::string& name) {
  if (name == "auto") return ProductKernel::automatic;
  if (name == "naive") return ProductKernel::naive;
  if (name == "tiled") return ProductKernel::tiled;
  if (name == "cublas") return ProductKernel::cublas;
  throw InputError(fmt::format(
      "--kernel \"{}\" does not multiply matrices; there are naive, tiled and cublas", name));
}

SortKernel sort_kernel(const std::string& name) {
  if (name == "bitonic") return SortKernel::bitonic;
  if (name == "radix") return SortKernel::radix;
  throw InputError(fmt::format("--kernel \"{}\" does not sort; there are bitonic and radix", name));
}

}  // namespace

template <class T>
JacobiResult<T> jacobi(const DenseView<T>& a, std::type_identity_t<std::span<const T>> b,
                       std::type_identity_t<std::span<const T>> start,
                       const JacobiSettings& settings) {
  return solved<T>(a, b, start, settings);
}

template <class T>
JacobiResult<T> jacobi(const SparseView<T>& a, std::type_identity_t<std::span<const T>> b,
                       std::type_identity_t<std::span<const T>> start,
                       const JacobiSettings& settings) {
  return solved<T>(a, b, start, settings);
}

template <class T>
std::vector<T> product(const DenseView<T>& a, const DenseView<T>& b,
                       const ProductSettings& settings) {
  check(a);
  check(b);
  const cuda::CallersDevice callers;
  return bombard::product<T>(a, b, product_kernel(settings.kernel), choice(settings.device),
                             settings.interrupt)
      .matrix.values;
}

template <class T>
std::vector<double> dot(const DenseView<T>& a, const DenseView<T>& b, const std::string& device) {
  check(a);
  check(b);
  const cuda::CallersDevice callers;
  return row_dots<T>(a, b, choice(device)).values;
}

template <class T>
bool sort(std::span<T> values, const SortSettings& settings) {
  const cuda::CallersDevice callers;
  const bool ascending = settings.order == Order::ascending;
  return bombard::sort(values, ascending ? SortOrder::ascending : SortOrder::descending,
                       sort_kernel(settings.kernel), choice(settings.device), settings.interrupt);
}

template <class T>
Sum<T> sum(std::span<const T> values, const std::string& device) {
  const cuda::CallersDevice callers;
  return bombard::sum(values, choice(device));
}

template <class T>
T maximum(std::span<const T> values, const std::string& device) {
  const cuda::CallersDevice callers;
  return bombard::maximum(values, choice(device));
}

template <class T>
std::array<T, 9> minima(std::span<const T> matrices) {
  if (matrices.empty() || matrices.size() % 9 != 0) {
    throw InputError(
        fmt::format("{} values are no set of 3 x 3 matrices; it has 9 for each, and one matrix or "
                    "more",
                    matrices.size()));
  }
  std::array<T, 9> least;
  // A value with itself, for a NaN comes out positive.
  std::transform(matrices.begin(), matrices.begin() + 9, least.begin(),
                 [](T value) { return smaller(value, value); });
  for (std::size_t at = 9; at < matrices.size(); at += 9) {
    for (std::size_t i = 0; i < 9; ++i) least[i] = smaller(least[i], matrices[at + i]);
  }
  return least;
}

MatrixSetMinima minima_of_file(const std::string& path, const std::string& device, int threads) {
  const DeviceChoice where = choice(device);
  if (where.kind != DeviceChoice::Kind::cuda) return matrix_set_minima(path, threads);
  const cuda::CallersDevice callers;
  return minima_on_gpu(path, threads, where);
}

template JacobiResult<float> jacobi<float>(const DenseView<float>&, std::span<const float>,
                                           std::span<const float>, const JacobiSettings&);
template JacobiResult<double> jacobi<double>(const DenseView<double>&, std::span<const double>,
                                             std::span<const double>, const JacobiSettings&);
template JacobiResult<float> jacobi<float>(const SparseView<float>&, std::span<const float>,
                                           std::span<const float>, const JacobiSettings&);
template JacobiResult<double> jacobi<double>(const SparseView<double>&, std::span<const double>,
                                             std::span<const double>, const JacobiSettings&);
template std::vector<float> product<float>(const DenseView<float>&, const DenseView<float>&,
                                           const ProductSettings&);
template std::vector<double> product<double>(const DenseView<double>&, const DenseView<double>&,
                                             const ProductSettings&);
template std::vector<double> dot<float>(const DenseView<float>&, const DenseView<float>&,
                                        const std::string&);
template std::vector<double> dot<double>(const DenseView<double>&, const DenseView<double>&,
                                         const std::string&);
template bool sort<std::int32_t>(std::span<std::int32_t>, const SortSettings&);
template bool sort<float>(std::span<float>, const SortSettings&);
template bool sort<double>(std::span<double>, const SortSettings&);
template std::int64_t sum<std::int32_t>(std::span<const std::int32_t>, const std::string&);
template double sum<float>(std::span<const float>, const std::string&);
template double sum<double>(std::span<const double>, const std::string&);
template std::int32_t maximum<std::int32_t>(std::span<const std::int32_t>, const std::string&);
template float maximum<float>(std::span<const float>, const std::string&);
template double maximum<double>(std::span<const double>, const std::string&);
template std::array<std::int32_t, 9> minima<std::int32_t>(std::span<const std::int32_t>);
template std::array<float, 9> minima<float>(std::span<const float>);
template std::array<double, 9> minima<double>(std::span<const double>);

}  // namespace bombard::solve
