#include "python/solve.hpp"

#include <pybind11/stl.h>

#include "bombard/solve.hpp"
#include "bombard/words.hpp"
#include "python/arrays.hpp"
#include "python/signals.hpp"

namespace py = pybind11;

namespace bombard::python {

namespace {

template <class T>
using Array = py::array_t<T, py::array::c_style>;

/// Of two dimensions.
template <class T>
DenseView<T> matrix(const Array<T>& array) {
  return {array.shape(0), array.shape(1), span_of(array)};
}

solve::JacobiSettings settings_of(const py::dict& given) {
  return {.device = parse_device(given["device"].cast<std::string>()),
          .tolerance = given["tolerance"].cast<double>(),
          .iteration_limit = given["iteration_limit"].cast<std::int64_t>(),
          .force = given["force"].cast<bool>(),
          .error = given["error"].cast<std::optional<double>>(),
          .sweeps = given["sweeps"].cast<std::optional<std::int64_t>>(),
          .interrupt = raise_what_signals_ask_for};
}

template <class T, class View>
py::tuple solved(const View& a, const Array<T>& b, const Array<T>& start, const py::dict& given) {
  const solve::JacobiSettings settings = settings_of(given);
  const std::span<const T> right = span_of(b);
  const std::span<const T> first = span_of(start);
  solve::JacobiResult<T> result;
  {
    const py::gil_scoped_release unlocked;
    result = solve::jacobi(a, right, first, settings);
  }
  return py::make_tuple(array_of(std::move(result.x)), result.iterations, result.converged,
                        result.change, result.relative_residual, result.error_bound, result.on_gpu);
}

template <class T>
py::tuple jacobi_dense(const Array<T>& a, const Array<T>& b, const Array<T>& start,
                       const py::dict& given) {
  return solved<T>(matrix(a), b, start, given);
}

template <class T>
py::tuple jacobi_sparse(std::int64_t rows, std::int64_t columns, const Array<std::int64_t>& offsets,
                        const Array<std::int32_t>& indices, const Array<T>& values,
                        const Array<T>& b, const Array<T>& start, const py::dict& given) {
  return solved<T>(
      SparseView<T>{rows, columns, span_of(offsets), span_of(indices), span_of(values)}, b, start,
      given);
}

template <class T>
py::array product(const Array<T>& a, const Array<T>& b, const std::string& device) {
  const DenseView<T> left = matrix(a);
  const DenseView<T> right = matrix(b);
  std::vector<T> values;
  {
    const py::gil_scoped_release unlocked;
    values = solve::product(
        left, right, {.device = parse_device(device), .interrupt = raise_what_signals_ask_for});
  }
  return array_of(std::move(values)).reshape({left.rows, right.columns});
}

template <class T>
py::array dot(const Array<T>& a, const Array<T>& b, const std::string& device) {
  const DenseView<T> left = matrix(a);
  const DenseView<T> right = matrix(b);
  std::vector<double> values;
  {
    const py::gil_scoped_release unlocked;
    values = solve::dot(left, right, parse_device(device));
  }
  return array_of(std::move(values));
}

/// In place.
template <class T>
void sort(Array<T>& values, bool descending, const std::string& device) {
  const std::span<T> all(values.mutable_data(), static_cast<std::size_t>(values.size()));
  const py::gil_scoped_release unlocked;
  solve::sort(all, {.order = descending ? solve::Order::descending : solve::Order::ascending,
                    .device = parse_device(device),
                    .interrupt = raise_what_signals_ask_for});
}

template <class T>
solve::Sum<T> sum(const Array<T>& values, const std::string& device) {
  const std::span<const T> all = span_of(values);
  const py::gil_scoped_release unlocked;
  return solve::sum(all, parse_device(device));
}

template <class T>
T maximum(const Array<T>& values, const std::string& device) {
  const std::span<const T> all = span_of(values);
  const py::gil_scoped_release unlocked;
  return solve::maximum(all, parse_device(device));
}

template <class T>
py::array minima(const Array<T>& matrices) {
  const std::span<const T> all = span_of(matrices);
  std::array<T, 9> least;
  {
    const py::gil_scoped_release unlocked;
    least = solve::minima(all);
  }
  return array_of(std::vector<T>(least.begin(), least.end())).reshape({3, 3});
}

template <class T>
void add_of_floats(py::module_& module) {
  const auto array = [](const char* name) { return py::arg(name).noconvert(); };
  module.def("jacobi", &jacobi_dense<T>, array("a"), array("b"), array("start"),
             py::arg("settings"));
  module.def("jacobi_sparse", &jacobi_sparse<T>, py::arg("rows"), py::arg("columns"),
             array("offsets"), array("indices"), array("values"), array("b"), array("start"),
             py::arg("settings"));
  module.def("product", &product<T>, array("a"), array("b"), py::arg("device"));
  module.def("dot", &dot<T>, array("a"), array("b"), py::arg("device"));
}

template <class T>
void add_of_numbers(py::module_& module) {
  const auto array = [](const char* name) { return py::arg(name).noconvert(); };
  module.def("sort", &sort<T>, array("values"), py::arg("descending"), py::arg("device"));
  module.def("sum", &sum<T>, array("values"), py::arg("device"));
  module.def("maximum", &maximum<T>, array("values"), py::arg("device"));
  module.def("minima", &minima<T>, array("matrices"));
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
