#pragma once

#include <string>
#include <vector>

#include "bombard/storm.hpp"
#include "inputs/mapped_file.hpp"

namespace bombard {

/// Reads a storm from a NumPy array (.npy) of P x 2: positions and energies, integers,
/// or float32 or float64 of whole numbers within their bounds. Throws InputError naming the file
/// and the row, from 0.
std::vector<Impact> read_storm_npy(const MappedFile& file);

/// Writes such an array beside `path` and renames the file: int32 if all positions fit, else int64.
void write_storm_npy(const Storm& storm, const std::string& path);

}  // namespace bombard
