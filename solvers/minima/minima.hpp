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

}  // namespace bombard
