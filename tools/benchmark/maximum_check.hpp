#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "bombard/storm.hpp"
#include "sim/engines/engine.hpp"
#include "sim/engines/engines.hpp"
#include "sim/reference_double.hpp"

namespace bombard {

/// The maximum that engines must find after a storm of energies above 0 that fell once or twice on
/// a layer of 0, with a threshold of 0.
class MaximumCheck {
 public:
  /// Computes all shares where that is a matter of seconds: by the direct engine (on the device, if
  /// there is one), and in long double. The storm must outlive the check.
  MaximumCheck(std::int64_t cells, const Storm& storm, int times, bool with_device);

  /// The rule's digits; where those are not known, the digits of the first engine that was asked,
  /// which lie within the rule's roundings of the true value of that cell.
  bool right_in_single(const Maximum& maximum);

  /// The true value of that cell; the position that the first engine in double precision found;
  /// where that was computed, the maximum of all sums in long double; and the rule's maximum but
  /// for its roundings.
  bool right_in_double(const Maximum& maximum);

  /// Whether a value is `expected` but for the errors of engines in that precision.
  bool right_about(double value, const Maximum& expected, Precision precision) const;

 private:
  bool is_true_value(const Maximum& maximum, double tolerance);

  std::int64_t cells_;
  const Storm& storm_;
  int times_;
  double roundings_;  ///< what the rule's may come to, relative to a value
  std::optional<Maximum> rule_, in_double_;
  std::optional<ReferenceInDouble> reference_;
  std::map<std::int64_t, long double> true_values_;  ///< of cells
};

}  // namespace bombard
