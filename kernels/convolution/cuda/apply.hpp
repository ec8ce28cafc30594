#pragma once

#include <cstdint>
#include <span>

#include "kernels/convolution/cuda/relax.cuh"
#include "kernels/convolution/cuda/shape.cuh"
#include "kernels/convolution/cuda/sources.hpp"

namespace bombard::cuda {

/// The arguments with which a storm is applied to the tiles.
struct TileStorm {
  Terms terms;
  SourceArray<std::int64_t> energies;
  SourceArray<double> uncertainties;
  States states, uncertainty_states;
  Cells cells;
  bool first;  ///< of those that were gathered
};

void load_apply();

/// Gives the kernel of layers of `tiles` tiles, with uncertainties or without, the shared memory
/// that it needs for `terms` terms; by polynomials or by exponentials. Throws CannotRun where that
/// is more than there is.
void prepare_apply(int terms, std::int64_t tiles, bool tracked, bool polynomials_serve);

/// Adds a storm to all tiles. Returns once launched.
void apply(const TileStorm& storm, bool tracked, bool polynomials_serve);
/// Adds sums that are there already to the cells of the padded layer. Returns once launched.
void apply_sums(std::span<const double> sums, const Cells& cells, std::int64_t tiles);

}  // namespace bombard::cuda
