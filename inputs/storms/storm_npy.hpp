#pragma once

#include <string>

#include "bombard/storm.hpp"
#include "inputs/mapped_file.hpp"
#include "inputs/storms/storm_part.hpp"

namespace bombard {

/// Reads a part of a storm from a NumPy array (.npy) of P x 2: positions and energies, int32, or
/// float32 or float64 of whole numbers within their bounds. Throws InputError naming the file and
/// the row, from 0.
ImpactsOfPart read_storm_npy(const MappedFile& file, const StormPart& part);

/// Writes such an array beside `path` and renames the file: int32 if all positions fit, else
/// float64. Throws InputError for positions that float64 does not hold exactly.
void write_storm_npy(const Storm& storm, const std::string& path);

}  // namespace bombard
