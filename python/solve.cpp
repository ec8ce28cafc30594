#include "bombard/solve.hpp"

#include <pybind11/stl.h>

#include "bombard/words.hpp"
#include "python/arrays.hpp"
#include "python/interpreter.hpp"
#include "python/parts.hpp"

namespace py = pybind11;

namespace bombard::python {

namespace {

template <class T, class View>
py::tuple solved(const View& a, std::span<const T> b, std::span<const T> start,
                 const py::dict& given) {
  const solve::JacobiSettings settings{
      .device = parse_device(given["device"].cast<std::string>()),
      .tolerance = given["tolerance"].cast<double>(),
      .iteration_limit = given["iteration_limit"].cast<std::int64_t>(),
      .force = given["force"].cast<bool>(),
      .error = given["error"].cast<std::optional<double>>(),
      .sweeps = given["sweeps"].cast<std::optional<std::int64_t>>(),
      .interrupt = raise_what_signals_ask_for};
  auto result = unlocked([&] { return solve::jacobi(a, b, start, settings); });
  return py::make_tuple(memory_of(std::move(result.x)), result.iterations, result.converged,
                        result.change, result.relative_residual, result.error_bound, result.on_gpu);
}

template <class T>
void add_of_floats(py::module_& module) {
  using Floats = std::span<const T>;
  using Matrix = DenseView<T>;
  module.def("jacobi", &solved<T, Matrix>);
  module.def("jacobi_sparse", [](std::int64_t rows, std::int64_t columns,
                                 std::span<const std::int64_t> offsets,
                                 std::span<const std::int32_t> indices, Floats values, Floats b,
                                 Floats start, const py::dict& given) {
    return solved<T>(SparseView<T>{rows, columns, offsets, indices, values}, b, start, given);
  });
  module.def("product", [](const Matrix& a, const Matrix& b, const std::string& device) {
    return memory_of(unlocked([&] { return solve::product(a, b, parse_device(device)); }));
  });
  module.def("dot", [](const Matrix& a, const Matrix& b, const std::string& device) {
    return memory_of(unlocked([&] { return solve::dot(a, b, parse_device(device)); }));
  });
}

template <class T>
void add_of_numbers(py::module_& module) {
  using Numbers = std::span<const T>;
  module.def("sort", [](std::span<T> values, bool descending, const std::string& device) {
    unlocked([&] { solve::sort(values, descending, parse_device(device)); });
  });
  module.def("sum", [](Numbers values, const std::string& device) {
    return unlocked([&] { return solve::sum(values, parse_device(device)); });
  });
  module.def("maximum", [](Numbers values, const std::string& device) {
    return unlocked([&] { return solve::maximum(values, parse_device(device)); });
  });
  module.def("minima", [](Numbers matrices) {
    const std::array<T, 9> least = unlocked([&] { return solve::minima(matrices); });
    return memory_of(std::vector<T>(least.begin(), least.end()));
  });
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
