#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bombard {

/// The engines that look for the maxima of the same storms in other cells of the layer, fast ones
/// in single precision. The maximum of an engine may then be any peak of the layer, or none, where
/// another one has the layer's maximum.
class OtherParts {
 public:
  virtual ~OtherParts() = default;

  /// Replaces values that the maximum after each storm is no lower than by the largest that any of
  /// them gives. Every engine calls it for each storm once, on a processor for one at a time, on a
  /// GPU for all storms of a call.
  virtual void largest(std::span<double> values) = 0;

  /// Given the candidates of this part, returns those that it is to confirm: each part gets the
  /// same number, for all candidates may lie in one part. They are numbered as the layer's cells
  /// are, ascending. An engine that is not `able` to confirm cells of other parts keeps its own and
  /// gets no others. Every engine on a processor calls it for each storm once, after largest().
  virtual std::vector<std::int64_t> share_candidates(const std::vector<std::int64_t>& own,
                                                     bool able) = 0;
};

}  // namespace bombard
