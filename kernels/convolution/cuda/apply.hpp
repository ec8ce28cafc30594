#pragma once

#include "kernels/convolution/cuda/sources.hpp"
#include "kernels/convolution/cuda/states.hpp"
#include "kernels/convolution/cuda/tables.hpp"
#include "kernels/convolution/cuda/tiling.hpp"

namespace bombard::cuda {

struct LayerArrays;

/// What a storm's sums are made from, for the cells of all tiles.
struct TileStorm {
  Tables tables{};
  SourceArrays sources{};
  States states{}, uncertainty_states{};
};

/// Adds a storm to all tiles, relaxes them and finds the highest peak. Returns once launched.
void apply(const TileStorm& storm, const Tiling& tiling, const LayerArrays& cells, bool tracked);

}  // namespace bombard::cuda
