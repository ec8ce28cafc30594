#pragma once

#include <cstdint>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/share/attenuation.hpp"

namespace bombard {

/// The layer by its definition, in long double: shares are added one by one, and then relaxed; and
/// the same with absolute energies, against which errors are measured.
class DirectLayer {
 public:
  explicit DirectLayer(std::int64_t cells, const Attenuation& attenuation = {},
                       long double scale = 1);

  void apply(const std::vector<Impact>& deposits, const StormUncertainty& of_storm = {});

  /// The layer as it was before all storms.
  void clear();

  Attenuation attenuation;
  long double scale;
  std::vector<long double> value, magnitude, uncertainty;

 private:
  long double share_of_one(std::int64_t distance) const;
  long double computed(std::int64_t distance) const;

  std::vector<long double> near_shares_;  ///< [distance]
};

inline constexpr double storm_growth = 1e-4;
/// The uncertainty of a storm whose first deposit is off by a thousandth, and whose last one by
/// half of that.
inline StormUncertainty thousandth(const std::vector<Impact>& deposits) {
  return {.first = 0.001,
          .step = 0.0005 / static_cast<double>(deposits.size()),
          .growth = storm_growth,
          .rounding = 1e-5};
}

}  // namespace bombard
