#pragma once

#include <array>
#include <span>
#include <string>

#include "inputs/matrix_set.hpp"
#include "solvers/device_choice.hpp"

namespace bombard {

/// matrix_set_minima() on a GPU, of the same set and with the same result, bit for bit: text or
/// .npy, read by `threads` threads (0: all cores). `device` names a GPU; throws CannotRun without
/// it.
MatrixSetMinima minima_on_gpu(const std::string& path, int threads, const DeviceChoice& device);

/// Eigen's, of matrices one after another (9 values each): what `--validate` compares with.
template <class T>
std::array<T, 9> minima_reference(std::span<const T> matrices);

}  // namespace bombard
