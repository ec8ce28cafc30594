#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/convolution/cpu/ending_sources.hpp"
#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/share/attenuation.hpp"

namespace bombard::cpu {

/// A table of scale * an attenuation at each distance from 1 to some length.
class AttenuationTable {
 public:
  AttenuationTable(const Attenuation& attenuation, double scale)
      : attenuation_(attenuation), scale_(scale) {}

  /// Makes the table this long if it is shorter, but no longer than about a million.
  void cover(std::int64_t length);
  /// The table, [distance], if it holds the distances up to `last`; otherwise nullptr.
  const double* up_to(std::int64_t last) const {
    return last < static_cast<std::int64_t>(values_.size()) ? values_.data() : nullptr;
  }
  double computed(std::int64_t n) const;

 private:
  Attenuation attenuation_;
  double scale_;
  std::vector<double> values_;
};

/// The sums of the patches in the `cells` cells of a block, of energies (field 0) or uncertainties
/// (1). A share is rounded no more than `patch_roundings` times.
std::vector<double> sum_patches(std::span<const Patch> patches, const AttenuationTable& attenuation,
                                int field, std::int64_t cells);

/// How many patches are added one after another; the sums of these are then added in pairs.
inline constexpr std::int64_t patches_in_a_row = 1024;
/// Roundings on the way of a share: in its row; in pairs that double up to 2^63 patches; and those
/// of the attenuation, the scale and the product.
inline constexpr std::int64_t patch_roundings = patches_in_a_row + 63 + 5;

}  // namespace bombard::cpu
