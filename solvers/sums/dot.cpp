#include "solvers/sums/dot.hpp"

#include <fmt/format.h>

#include "bombard/solve.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/dense_views.hpp"
#include "solvers/solver_device.hpp"
#include "solvers/sums/compensated_sum.hpp"

namespace bombard::solve {

namespace {

template <class T>
double dot_of_rows(const T* a, const T* b, std::int64_t count) {
  const auto product = [=](std::int64_t j) {
    return static_cast<double>(a[j]) * static_cast<double>(b[j]);
  };
  return compensated_sum(count, product).value();
}

}  // namespace

template <class T>
std::vector<double> dot(const DenseView<T>& a, const DenseView<T>& b, const Device& device) {
  check_view(a);
  check_view(b);
  if (a.rows != b.rows || a.columns != b.columns) {
    throw InputError(
        fmt::format("A is {} x {}, B is {} x {}: a row of one goes with a row of the other, so the "
                    "shapes must match",
                    a.rows, a.columns, b.rows, b.columns));
  }
  require_host_memory(byte_count({a.rows, sizeof(double)}), "the vector of scalar products");
  std::vector<double> dots(static_cast<std::size_t>(a.rows));
  // Two operations per element: the transfer to a GPU alone takes longer than the sums.
  if (const SolverDevice solver(device, 0); solver.is_gpu()) {
    best_implementation<DeviceDot<T>>()(a, b, dots, nullptr);
    return dots;
  }
#pragma omp parallel for schedule(static) if (a.rows * a.columns > 500'000)
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const std::int64_t first = row * a.columns;
    dots[static_cast<std::size_t>(row)] =
        dot_of_rows(a.values.data() + first, b.values.data() + first, a.columns);
  }
  return dots;
}
template std::vector<double> dot<float>(const DenseView<float>&, const DenseView<float>&,
                                        const Device&);
template std::vector<double> dot<double>(const DenseView<double>&, const DenseView<double>&,
                                         const Device&);

}  // namespace bombard::solve
