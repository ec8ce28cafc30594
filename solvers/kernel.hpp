#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bombard/errors.hpp"
#include "kernels/device/device.hpp"

namespace bombard {

/// A kernel of an operation on the current device, from and to host memory. `Function` ends with a
/// double*: for a study, which gives one, the kernel runs many times and puts the median seconds of
/// a run there, without transfers.
template <class Operation, class Function>
struct Kernel {
  const char* name;
  int block;  ///< threads of a block, or the side of a tile; 0: chosen by the shape
  Function* run;
};

/// All kernels of an operation, which the CUDA part registers as a std::vector, the best one first.
template <class Kernel>
const std::vector<Kernel>& kernels() {
  return on_device<std::vector<Kernel>>();
}

/// The function of the first kernel of this name, or of the best one.
template <class Kernel>
auto kernel(std::string_view name = {}) {
  for (const Kernel& it : kernels<Kernel>()) {
    if (name.empty() || name == it.name) return it.run;
  }
  throw CannotRun("this program was built without " + std::string(name));
}

}  // namespace bombard

namespace bombard::cuda {

/// Does work that launches kernels: once or, where `seconds` is not null, many times, and puts the
/// median time there.
void run_timed(double* seconds, const std::function<void()>& work);

}  // namespace bombard::cuda
