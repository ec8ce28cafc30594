#pragma once

#include <span>
#include <string>

#include "inputs/output_file.hpp"

namespace bombard {

/// Writes a one-dimensional NumPy array (.npy, version 1.0, little-endian float32), beside `path`
/// and renamed. Throws InputError when the file cannot be written.
void write_npy(std::span<const float> values, const std::string& path);

/// The same into a file that was opened before the values were computed; the caller commits it.
void write_npy(std::span<const float> values, OutputFile& file);

}  // namespace bombard
