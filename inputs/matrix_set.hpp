#pragma once

#include <cstdint>
#include <span>

#include "inputs/array_file.hpp"
#include "inputs/output_file.hpp"

namespace bombard {

/// Reads a set of 3x3 matrices (docs/formats.md): text, or .npy of N x 3 x 3. Returns nine elements
/// for each, row by row, as read_vector() does. Throws InputError with file and line: a text holds
/// the number of matrices that it says, and nothing else.
Vector read_matrix_set(const InputFile& file);

/// Writes a set as text, each matrix given by its nine elements row by row; the caller commits the
/// file.
void write_matrix_set(std::span<const std::int32_t> elements, OutputFile& file);

}  // namespace bombard
