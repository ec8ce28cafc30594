#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "kernels/device/device.hpp"

namespace bombard {

/// A number that is not known.
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// What a study asks of a kernel apart from its answer.
struct KernelFigures {
  bool once = false;                ///< launch once, untimed, for a profiler
  double seconds = unknown;         ///< the median of many launches
  double single_seconds = unknown;  ///< of calls that nothing else overlaps, where these are short
  double operations_per_access = unknown;  ///< for each element read from or written to memory
  double occupancy = unknown;  ///< threads on a multiprocessor, out of those it could hold
};

/// An implementation of an operation on the current device, from and to host memory. For each
/// operation the CUDA part registers a std::vector of them, the best one first: a solver takes one,
/// the study and the tests take all. `Function` ends with a KernelFigures*, null for a solver.
template <class Operation, class Function>
struct Implementation {
  const char* name;
  int block;  ///< threads of a block or the side of a tile; 0: chosen by the shape
  Function* run;
  bool (*is_here)() = [] { return true; };
};

/// All implementations that can run here.
template <class Implementation>
std::vector<Implementation> implementations() {
  auto all = on_device<std::vector<Implementation>>();
  std::erase_if(all, [](const Implementation& it) { return !it.is_here(); });
  return all;
}

/// The function of the best one of this name, or of any name.
template <class Implementation>
auto best_implementation(std::string_view name = {}) {
  const auto& all = on_device<std::vector<Implementation>>();
  return std::ranges::find_if(all,
                              [&](const Implementation& it) {
                                return name.empty() ? it.is_here() : name == it.name;
                              })
      ->run;
}

}  // namespace bombard

namespace bombard::cuda {

/// Runs work that launches kernels: once or, for a study, which passes figures, repeatedly.
void run_measured(KernelFigures* figures, const std::function<void()>& work);

}  // namespace bombard::cuda
