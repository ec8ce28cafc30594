#pragma once

#include "kernels/convolution/cuda/sources.hpp"
#include "kernels/convolution/cuda/states.hpp"
#include "kernels/convolution/cuda/tables.hpp"
#include "kernels/convolution/cuda/tiling.hpp"

namespace bombard::cuda {

struct LayerArrays;

/// A storm's sums for the cells of all tiles: what they are made from, or the sums themselves in
/// `sums` [cell of the padded layer].
struct TileStorm {
  Tables tables{};
  SourceArrays sources{};
  States states{}, uncertainty_states{};
  const double* sums = nullptr;
};

void load_apply(bool tracked);
/// Adds a storm to all tiles, relaxes them and finds the highest peak. Returns once launched.
void apply(const TileStorm& storm, const Tiling& tiling, const LayerArrays& cells, bool tracked);

}  // namespace bombard::cuda
