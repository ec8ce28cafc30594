#include "python/solve.hpp"

#include <pybind11/stl.h>

#include "bombard/solve.hpp"
#include "bombard/words.hpp"
#include "python/arrays.hpp"
#include "python/interpreter.hpp"

namespace py = pybind11;

namespace bombard::python {

namespace {

/// An array of two dimensions as a matrix.
template <class T>
DenseView<T> matrix(const Array<const T>& array) {
  return {array.extent(0), array.extent(1), array.values()};
}

solve::JacobiSettings jacobi_settings_of(const py::dict& given) {
  return {.device = parse_device(given["device"].cast<std::string>()),
          .tolerance = given["tolerance"].cast<double>(),
          .iteration_limit = given["iteration_limit"].cast<std::int64_t>(),
          .force = given["force"].cast<bool>(),
          .error = given["error"].cast<std::optional<double>>(),
          .sweeps = given["sweeps"].cast<std::optional<std::int64_t>>(),
          .interrupt = raise_what_signals_ask_for};
}

template <class T, class View>
py::tuple solved(const View& a, const Array<const T>& b, const Array<const T>& start,
                 const py::dict& given) {
  const solve::JacobiSettings settings = jacobi_settings_of(given);
  const std::span<const T> right = b.values();
  const std::span<const T> first = start.values();
  auto result = unlocked([&] { return solve::jacobi(a, right, first, settings); });
  return py::make_tuple(memory_of(std::move(result.x)), result.iterations, result.converged,
                        result.change, result.relative_residual, result.error_bound, result.on_gpu);
}

template <class T>
py::tuple jacobi_dense(const Array<const T>& a, const Array<const T>& b,
                       const Array<const T>& start, const py::dict& given) {
  return solved<T>(matrix(a), b, start, given);
}

template <class T>
py::tuple jacobi_sparse(std::int64_t rows, std::int64_t columns,
                        const Array<const std::int64_t>& offsets,
                        const Array<const std::int32_t>& indices, const Array<const T>& values,
                        const Array<const T>& b, const Array<const T>& start,
                        const py::dict& given) {
  return solved<T>(
      SparseView<T>{rows, columns, offsets.values(), indices.values(), values.values()}, b, start,
      given);
}

template <class T>
py::memoryview product(const Array<const T>& a, const Array<const T>& b,
                       const std::string& device) {
  const DenseView<T> left = matrix(a);
  const DenseView<T> right = matrix(b);
  return memory_of(unlocked([&] {
    return solve::product(
        left, right, {.device = parse_device(device), .interrupt = raise_what_signals_ask_for});
  }));
}

template <class T>
py::memoryview dot(const Array<const T>& a, const Array<const T>& b, const std::string& device) {
  const DenseView<T> left = matrix(a);
  const DenseView<T> right = matrix(b);
  return memory_of(unlocked([&] { return solve::dot(left, right, parse_device(device)); }));
}

/// Sorts in place.
template <class T>
void sort(const Array<T>& values, bool descending, const std::string& device) {
  const std::span<T> all = values.values();
  unlocked([&] {
    solve::sort(all, {.order = descending ? solve::Order::descending : solve::Order::ascending,
                      .device = parse_device(device),
                      .interrupt = raise_what_signals_ask_for});
  });
}

template <class T>
solve::Sum<T> sum(const Array<const T>& values, const std::string& device) {
  const std::span<const T> all = values.values();
  return unlocked([&] { return solve::sum(all, parse_device(device)); });
}

template <class T>
T maximum(const Array<const T>& values, const std::string& device) {
  const std::span<const T> all = values.values();
  return unlocked([&] { return solve::maximum(all, parse_device(device)); });
}

template <class T>
py::memoryview minima(const Array<const T>& matrices) {
  const std::span<const T> all = matrices.values();
  const std::array<T, 9> least = unlocked([&] { return solve::minima(all); });
  return memory_of(std::vector<T>(least.begin(), least.end()));
}

template <class T>
void add_of_floats(py::module_& module) {
  module.def("jacobi", &jacobi_dense<T>);
  module.def("jacobi_sparse", &jacobi_sparse<T>);
  module.def("product", &product<T>);
  module.def("dot", &dot<T>);
}

template <class T>
void add_of_numbers(py::module_& module) {
  module.def("sort", &sort<T>);
  module.def("sum", &sum<T>);
  module.def("maximum", &maximum<T>);
  module.def("minima", &minima<T>);
}

}  // namespace

void add_solvers(py::module_& module) {
  add_of_floats<float>(module);
  add_of_floats<double>(module);
  add_of_numbers<std::int32_t>(module);
  add_of_numbers<float>(module);
  add_of_numbers<double>(module);
}

}  // namespace bombard::python
