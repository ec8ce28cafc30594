#pragma once

#include <span>
#include <string>

#include "bombard/layer.hpp"
#include "bombard/maximum.hpp"

namespace bombard {

/// Draws the layer with block characters (UTF-8) or in ASCII, at most 13 lines high and at most
/// `width` columns wide (at least 30 are used). A column shows the largest value of its cells: one
/// cell where they fit, several where they do not; values below 0 hang from the line of 0. Below
/// the axis of cell numbers, each storm's maximum is marked, with the storm's number if it has
/// room; a maximum of value 0 (there was none) is not marked. A cell that is infinite, or that
/// holds no number, reaches to the edge or has no bar, and the first line says so. `layer` is the
/// whole layer, at least one cell. The last character is a newline.
std::string plot_layer(const LayerView& layer, std::span<const Maximum> maxima, int width,
                       bool in_ascii = false);

}  // namespace bombard
