#pragma once

#include <cstdint>
#include <string>

#include "bombard/layer.hpp"

namespace bombard {

/// Reads a layer of `cells` cells as `bombard run --layer` writes it: a NumPy array of one
/// dimension, float32 or float64. Throws InputError for anything else, another number of cells and
/// values that are not finite included.
Layer read_layer(const std::string& path, std::int64_t cells);

}  // namespace bombard
