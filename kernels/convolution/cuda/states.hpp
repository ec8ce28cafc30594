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
  const double* outside;   ///< [side][term]: the moments of one chunk more on either side
};

/// Cells of the padded layer: impacts at cells from `first` up to `begin` count on their way to the
/// right, and those from `end` up to `last` on their way to the left.
struct Beyond {
  std::int64_t first, begin, end, last;
};

/// The states that enter each tile (docs/methods.md, The fast layer): what the tiles add to them,
/// and a scan.
class TileStates {
 public:
  static void load();

  /// Impacts that lie outside the padded layer, or none. Always adds in the same order.
  void gather_outside(const Tables& tables, const GatheredImpacts& storm, const Beyond& outside);
  void clear_outside(const Tables& tables);
  /// States that come in lie there, too, [side][term].
  void come_in(const std::vector<double>& both);
  /// The states that impacts give to the cells between `begin` and `end`, [side][term], in the same
  /// way. Waits for them.
  std::vector<double> of_impacts(const Tables& tables, const GatheredImpacts& storm,
                                 const Beyond& beyond);

  /// The states of all that lies inside and outside, of `fields` fields.
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
