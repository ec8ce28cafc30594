#include "solvers/sums/dot.hpp"

#include <fmt/format.h>

#include "bombard/solve.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/in_runs.hpp"
#include "solvers/matrices.hpp"
#include "solvers/solver_device.hpp"

namespace bombard::solve {

namespace {

template <class T>
double dot_of_rows(const T* a, const T* b, std::int64_t count) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t j = 0; j < count; ++j) {
    sum += static_cast<double>(a[j]) * static_cast<double>(b[j]);
  }
  return sum;
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
  const SolverDevice solver(device, 0);
  if (solver.is_gpu()) {
    kernel<DeviceDot<T>>()(a, b, dots, nullptr);
    return dots;
  }
  in_runs(a.rows, 16, std::ssize(a.values), [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t row = first; row < end; ++row) {
      dots[static_cast<std::size_t>(row)] = dot_of_rows(
          a.values.data() + row * a.columns, b.values.data() + row * a.columns, a.columns);
    }
  });
  return dots;
}
template std::vector<double> dot<float>(const DenseView<float>&, const DenseView<float>&,
                                        const Device&);
template std::vector<double> dot<double>(const DenseView<double>&, const DenseView<double>&,
                                         const Device&);

}  // namespace bombard::solve
