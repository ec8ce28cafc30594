#pragma once

#include <cstdint>

#include "kernels/convolution/cuda/sources.hpp"
#include "kernels/device/device_memory.hpp"

namespace bombard::cuda {

struct States;
struct Terms;

/// The sums that the sources of each tile add to the states of the exponentials, and then the
/// states that enter each tile (docs/methods.md, The fast layer).
class TileStates {
 public:
  /// A scan takes this number of runs at a time, each of this number of tiles at most.
  static constexpr int runs_of_scan = 128, longest_run_of_scan = 24;

  static void load();
  /// How many storms can be gathered at once on `tiles` tiles: 8192 tiles of all of them.
  static std::int64_t most_storms(std::int64_t tiles);

  /// Adds the sources of `storms` storms, each with `fields` fields, to the states of the tiles
  /// beside theirs; by polynomials or, of steep attenuations, by the exponentials themselves.
  void add_sources(const Terms& terms, const double* exponents, std::int64_t storms, int fields,
                   const SourceArray<std::int64_t>& energies,
                   const SourceArray<double>& uncertainties, bool polynomials_serve);
  /// And what enters each tile, in place of that.
  void scan();

  /// The states of energies, field 0, or of uncertainties.
  States of(std::int64_t storm, int field);

 private:
  int terms_ = 0, fields_ = 0;
  std::int64_t tiles_ = 0, storms_ = 0;
  const double* exponents_ = nullptr;
  DeviceArray<double> of_tiles_;     ///< [storm][field][tile][side][term]
  DeviceArray<bool> adds_;           ///< [storm][field][tile], as States has them
  DeviceArray<double> of_segments_;  ///< what parts of a scan add to the states behind them
};

}  // namespace bombard::cuda
