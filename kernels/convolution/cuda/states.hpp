#pragma once

#include <cstdint>
#include <vector>

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

/// LayerArrays of the padded layer: impacts at cells from `first` up to `begin` count on their way
/// to the right, and those from `end` up to `last` on their way to the left.
struct Beyond {
  std::int64_t first, begin, end, last;
};

/// The states that enter each tile (docs/methods.md, The fast layer), found from what the tiles add
/// to them and by a scan.
class TileStates {
 public:
  /// Gathers the impacts that lie outside the padded layer, or none. Always adds in the same order.
  void gather_outside(const Tables& tables, const GatheredImpacts& storm, const Beyond& outside);
  void clear_outside(const Tables& tables);
  /// Adds the states that come in, [side][term], to those of outside impacts.
  void come_in(const std::vector<double>& both);
  /// The states that impacts give to the cells between `begin` and `end`, [side][term], computed in
  /// the same way. Waits for them.
  std::vector<double> of_impacts(const Tables& tables, const GatheredImpacts& storm,
                                 const Beyond& beyond);

  /// Finds the states of everything inside and outside, for `fields` fields.
  void scan(const Tables& tables, const Tiling& tiling, const SourceArrays& sources, int fields);
  States of(Field field, const Tables& tables, const Tiling& tiling) const;

 private:
  bool nothing_outside_ = true;
  DeviceArray<double> entering_;  ///< [field][side][term][tile on its way]
  DeviceArray<bool> adds_;        ///< [field][tile]: whether it adds to a state
  DeviceArray<double> outside_;   ///< [field][side][term]
  DeviceArray<double> leaving_;   ///< the same, on its way to the host
};

}  // namespace bombard::cuda
