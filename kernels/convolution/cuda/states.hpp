#pragma once

#include <cstdint>

#include "kernels/convolution/cuda/sources.hpp"
#include "kernels/convolution/cuda/tables.hpp"
#include "kernels/convolution/cuda/tiling.hpp"
#include "kernels/device/device_memory.hpp"

namespace bombard::cuda {

/// The states of one field, in device memory.
struct States {
  const double* entering;  ///< [side][term][tile on its way]: A and B that enter each tile
  const double* outside;   ///< [side][term]: the moments of one more chunk on either side
};

/// The states that enter each tile (docs/methods.md, The fast layer), found from what the tiles add
/// to them and by a scan.
class TileStates {
 public:
  /// Gathers the impacts that lie outside the padded layer, always in the same order, for `fields`
  /// fields; or none.
  void gather_outside(const Tables& tables, const GatheredImpacts& storm, int fields);
  void clear_outside(const Tables& tables);

  /// Finds the states of everything inside and outside, for `fields` fields.
  void scan(const Tables& tables, const Tiling& tiling, const SourceArrays& sources, int fields);
  States of(Field field, const Tables& tables, const Tiling& tiling) const;

 private:
  bool nothing_outside_ = true;
  DeviceArray<double> entering_;  ///< [field][side][term][tile on its way]
  DeviceArray<bool> adds_;        ///< [field][tile]: whether it adds to a state
  DeviceArray<double> outside_;   ///< [field][side][term]
};

}  // namespace bombard::cuda
