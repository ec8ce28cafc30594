#pragma once

// Storms that are not applied by apply_kernel. Their kernels are compiled apart
// (apply_other_storms.cu): the driver loads what stands in one file together, and a program that
// meets no such storm starts sooner without them (docs/journal.md, The first call on a GPU).

#include <cstdint>

#include "kernels/convolution/cuda/gather.cuh"
#include "kernels/convolution/cuda/relax.cuh"
#include "kernels/convolution/cuda/source_ends.cuh"
#include "kernels/convolution/cuda/states.cuh"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

/// What a storm is applied to the tiles with.
struct TileStorm {
  LaunchShape shape;
  bool tracked;  ///< the cells have uncertainties
  Terms terms;
  NearTiles near;
  SourceArray<std::int64_t> energies;
  SourceArray<double> uncertainties;
  States states, uncertainty_states;
  Cells cells;
};

/// Gives the kernels below the shared memory that they need. On each device before the first storm
/// in which sources end, or of a steep attenuation.
void allow_storms_with_ends();
void allow_storms_by_exponentials();

/// A storm in which sources end; one of a steep attenuation, of either kind. Return once launched.
void apply_with_ends(const TileStorm& storm, const EndLists& ends);
void apply_by_exponentials(const TileStorm& storm);
void apply_by_exponentials(const TileStorm& storm, const EndLists& ends);

}  // namespace bombard::cuda
