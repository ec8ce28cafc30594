#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "bombard/layer.hpp"
#include "bombard/maximum.hpp"

namespace bombard {

/// A fast layer as a storm left it, and which of its cells may be the rule's maximum.
class Screening {
 public:
  virtual ~Screening() = default;

  /// A lower bound on the rule's value of this cell, which is one of the best peaks.
  virtual double lower(std::int64_t cell) const = 0;
  /// How far the least is from the fast layer's value, relative to it; 0 where no peak counts.
  virtual double relative_bound(std::int64_t cell) const = 0;

  /// The `count` largest strict local maxima of the fast layer that are above 0 by more than the
  /// absolute part of the bound, or all; the largest first, of equal ones the smaller position.
  virtual std::vector<CellValue> best_peaks(std::size_t count) const = 0;

  /// Cells, ascending, whose value by the rule may be a strict local maximum above 0 and at least
  /// `least`, except those that may reach `most`. None when there are more than `limit`, or when it
  /// would cost too much to look at them.
  virtual std::optional<std::vector<std::int64_t>> candidates(double least, double most,
                                                              std::size_t limit) const = 0;
};

/// Finds the rule's `count` highest peaks, 1 or more, or all; the highest first, of equal ones the
/// smaller position. It asks for cells by the rule, and goes on from the peaks among them:
///
///   PeakSearch search(screening, 1, few, limit);
///   while (search.asks()) search.take(peaks_by_the_rule(search.candidates()));
///   if (!search.gave_up()) use(search.peaks());
class PeakSearch {
 public:
  /// No more than `few` candidates are asked for at once; the values of the fast layer's best peaks
  /// rule out most of the others. It gives up when there are more than `limit` candidates.
  /// `screening` must not change meanwhile.
  PeakSearch(const Screening& screening, std::size_t count, std::size_t few, std::size_t limit);

  bool asks() const { return !candidates_.empty(); }
  /// None once it has found the peaks, or given up.
  const std::vector<std::int64_t>& candidates() const { return candidates_; }
  /// Takes the peaks among the candidates; none: they cost too much, and it gives up.
  void take(const std::optional<std::vector<CellValue>>& peaks);
  bool gave_up() const { return gave_up_; }
  /// Also of a search that gave up: it has found all peaks of at least complete_from().
  const std::vector<CellValue>& peaks() const { return peaks_; }
  /// 0: peaks() are all that there are, or `count`.
  double complete_from() const { return gave_up_ ? complete_from_ : 0; }

 private:
  void begin_round();
  void ask_for(std::optional<std::vector<std::int64_t>> candidates);
  void give_up();

  const Screening& screening_;
  std::size_t count_, few_, limit_, tried_;
  bool gave_up_ = false;
  bool asks_for_first_ = false;  ///< for those that are confirmed before the other candidates
  // Round after round: all peaks of at least `complete_from_` are found, then those of at least
  // `least_`, the lowest `lower` of `tried_` peaks of the fast layer.
  double complete_from_ = std::numeric_limits<double>::infinity(), least_ = 0;
  std::vector<std::int64_t> candidates_;
  std::vector<CellValue> peaks_;
};

/// The first of some peaks, which is the highest; {0, 0} if there is none.
inline Maximum first_of(const std::vector<CellValue>& peaks) {
  return peaks.empty() ? Maximum{} : Maximum{peaks.front().position, peaks.front().value};
}

}  // namespace bombard
