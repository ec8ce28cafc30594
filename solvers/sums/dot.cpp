#include <fmt/format.h>

#include "bombard/solve.hpp"
#include "kernels/base/host_memory.hpp"
#include "solvers/dense_views.hpp"
#include "solvers/solver_device.hpp"
#include "solvers/sums/row_dots.hpp"

namespace bombard::solve {

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
  // Two operations an element: the way to a GPU alone takes longer than the sums.
  if (const SolverDevice solver(device, 0); solver.is_gpu()) {
    on_device<DeviceRowDots<T>>().dots(a.columns, a.values, b.values, dots, RowDotsKernel::inhouse,
                                       0, nullptr);
  } else {
    cpu::row_dots<T>(a.columns, a.values, b.values, dots);
  }
  return dots;
}
template std::vector<double> dot<float>(const DenseView<float>&, const DenseView<float>&,
                                        const Device&);
template std::vector<double> dot<double>(const DenseView<double>&, const DenseView<double>&,
                                         const Device&);

}  // namespace bombard::solve
