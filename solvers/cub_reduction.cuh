#pragma once

#include <cub/device/device_reduce.cuh>
#include <span>

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/device_memory.hpp"
#include "solvers/implementation.hpp"

namespace bombard::cuda {

/// `first` and the elements, which are in host memory, combined by CUB on the current device in an
/// order that depends only on their number. `combine` is associative and commutative.
template <class Element, class Combine, class Result>
Result reduced_by_cub(std::span<const Element> elements, const Combine& combine, Result first,
                      KernelFigures* figures) {
  const DeviceArray<Element> there{elements};
  DeviceArray<Result> result(1);
  std::size_t bytes = 0;
  const auto reduce = [&](void* workspace) {
    check(cub::DeviceReduce::Reduce(workspace, bytes, there.span().data(), result.span().data(),
                                    there.size(), combine, first),
          "CUB's reduction");
  };
  reduce(nullptr);
  DeviceArray<std::byte> workspace(static_cast<std::int64_t>(bytes));
  run_measured(figures, [&] { reduce(workspace.span().data()); });
  result.copy_to({&first, 1});
  return first;
}

}  // namespace bombard::cuda
