#pragma once

#include <span>
#include <string>

#include "sim/engines/engine.hpp"

namespace bombard {

/// Draws the layer with block characters (UTF-8), about 12 lines high and at most `width` columns
/// wide (at least 60 are used). A column shows the largest value of its cells: one cell where they
/// fit, several where they do not. Below the axis of cell numbers, each storm's maximum is marked
/// with the storm's number, from 1; a maximum of value 0 (there was none) is not marked. `layer` is
/// the whole layer, at least one cell, without NaN. The last character is a newline.
std::string plot_layer(std::span<const float> layer, std::span<const Maximum> maxima, int width);

}  // namespace bombard
