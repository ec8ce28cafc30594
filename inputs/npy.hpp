#pragma once

#include <span>
#include <string>

namespace bombard {

/// Writes a one-dimensional NumPy array (.npy, version 1.0, little-endian float32), beside `path` and
/// renamed. Throws InputError when the file cannot be written.
void write_npy(std::span<const float> values, const std::string& path);

}  // namespace bombard
