#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/convolution/uncertainty.hpp"
#include "kernels/layer/deposit.hpp"

namespace bombard::cpu {

/// A layer in binary64 that takes storms by the fast method at a cost of O(cells + impacts) a
/// storm: after its impacts every cell k holds the old value plus scale * the sum of energy *
/// (|position - k| + 1)^-power, and is then relaxed, (left + itself + right) / 3, the two ends
/// excepted. The sum is off by at most relative_error() * the same sum over |energy|.
/// Results depend neither on the number of threads nor on the order of the deposits
/// (uncertainties, which are bounds, may differ in their last bits).
class ConvolvedLayer {
 public:
  /// Cells from 1 up; all values 0. relative_error from 1e-12 (about what binary64 allows) to 1e-4.
  /// Throws CannotRun without memory. Uses up to so many threads.
  ConvolvedLayer(std::int64_t cells, double power, double scale, double relative_error,
                 int threads = 1);
  ~ConvolvedLayer();
  ConvolvedLayer(ConvolvedLayer&&) noexcept;

  /// Bytes of memory for so many cells, with uncertainties or without.
  static std::int64_t bytes(std::int64_t cells, bool with_uncertainty);

  double relative_error() const;

  /// All values are 0 again and uncertainties no longer tracked.
  void clear();

  /// From now on each cell has an uncertainty beside its value, at first factor * |value|.
  void track_uncertainty(double factor);
  bool tracks_uncertainty() const;

  void apply(std::span<const Deposit> deposits, const UncertaintyGrowth& growth);

  std::int64_t cells() const;
  double value(std::int64_t cell) const;
  /// 0 unless tracked.
  double uncertainty(std::int64_t cell) const;

  /// Cells in groups, for a search that skips most of them: group g is the cells
  /// group_begin(g) .. group_begin(g + 1) - 1, and no cell of it exceeds highest(g), a value plus
  /// its uncertainty.
  std::int64_t groups() const;
  std::int64_t group_begin(std::int64_t group) const;
  double highest(std::int64_t group) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bombard::cpu
