#include "bombard/solve.hpp"

#include <pybind11/stl.h>

#include "bombard/words.hpp"
#include "python/arrays.hpp"
#include "python/interpreter.hpp"
#include "python/parts.hpp"

namespace py = pybind11;

namespace bombard::python {

namespace {

/// An array of two dimensions as a matrix.
template <class T>
DenseView<T> matrix(const Array<const T>& array) {
  return {array.extent(0), array.extent(1), array.values()};
}

template <class T, class View>
py::tuple solved(const View& a, const Array<const T>& b, const Array<const T>& start,
                 const py::dict& given) {
  const solve::JacobiSettings settings{
      .device = parse_device(given["device"].cast<std::string>()),
      .tolerance = given["tolerance"].cast<double>(),
      .iteration_limit = given["iteration_limit"].cast<std::int64_t>(),
      .force = given["force"].cast<bool>(),
      .error = given["error"].cast<std::optional<double>>(),
      .sweeps = given["sweeps"].cast<std::optional<std::int64_t>>(),
      .interrupt = raise_what_signals_ask_for};
  auto result = unlocked([&] { return solve::jacobi(a, b.values(), start.values(), settings); });
  return py::make_tuple(memory_of(std::move(result.x)), result.iterations, result.converged,
                        result.change, result.relative_residual, result.error_bound, result.on_gpu);
}

template <class T>
void add_of_floats(py::module_& module) {
  using Floats = Array<const T>;
  module.def("jacobi", [](const Floats& a, const Floats& b, const Floats& start,
                          const py::dict& given) { return solved<T>(matrix(a), b, start, given); });
  module.def("jacobi_sparse", [](std::int64_t rows, std::int64_t columns,
                                 const Array<const std::int64_t>& offsets,
                                 const Array<const std::int32_t>& indices, const Floats& values,
                                 const Floats& b, const Floats& start, const py::dict& given) {
    const SparseView<T> a{rows, columns, offsets.values(), indices.values(), values.values()};
    return solved<T>(a, b, start, given);
  });
  module.def("product", [](const Floats& a, const Floats& b, const std::string& device) {
    const solve::ProductSettings settings{.device = parse_device(device),
                                          .interrupt = raise_what_signals_ask_for};
    return memory_of(unlocked([&] { return solve::product(matrix(a), matrix(b), settings); }));
  });
  module.def("dot", [](const Floats& a, const Floats& b, const std::string& device) {
    return memory_of(
        unlocked([&] { return solve::dot(matrix(a), matrix(b), parse_device(device)); }));
  });
}

template <class T>
void add_of_numbers(py::module_& module) {
  using Numbers = Array<const T>;
  module.def("sort", [](const Array<T>& values, bool descending, const std::string& device) {
    const solve::SortSettings settings{
        .order = descending ? solve::Order::descending : solve::Order::ascending,
        .device = parse_device(device),
        .interrupt = raise_what_signals_ask_for};
    unlocked([&] { solve::sort(values.values(), settings); });
  });
  module.def("sum", [](const Numbers& values, const std::string& device) {
    return unlocked([&] { return solve::sum(values.values(), parse_device(device)); });
  });
  module.def("maximum", [](const Numbers& values, const std::string& device) {
    return unlocked([&] { return solve::maximum(values.values(), parse_device(device)); });
  });
  module.def("minima", [](const Numbers& matrices) {
    const std::array<T, 9> least = unlocked([&] { return solve::minima(matrices.values()); });
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
