#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/convolution/convolved_layer.hpp"
#include "kernels/layer/scaled_impact.hpp"
#include "kernels/layer/weakest_share.hpp"

namespace bombard {

/// Whether the rule adds every one of the shares that these impacts (energies not 0) have in cells
/// first .. last: a share does not grow with the distance, so the farthest cell decides.
template <class Law>
bool every_share_counts(std::span<const ScaledImpact> impacts, float smallest, std::int64_t first,
                        std::int64_t last) {
  if (weakest_share_counts<Law>(impacts, smallest, first, last)) return true;
  return std::all_of(impacts.begin(), impacts.end(), [&](const ScaledImpact& impact) {
    const bool left = last - impact.position > impact.position - first;
    return counts(share<Law>(impact, left ? last : first), smallest);
  });
}

/// How far the rule's layer may lie from the fast one, storm by storm; derived line by line in
/// docs/methods.md, The bound. As long as all energies have one sign and cells are many, a factor
/// does: |rule - fast| <= factor() * fast in every cell. With both signs, or when the factor grows
/// so much that it pays, every cell has an uncertainty of its own, which the fast layer tracks.
class ErrorBound {
 public:
  /// More impacts prove nothing.
  static constexpr std::int64_t most_impacts = std::int64_t{1} << 23;

  /// `fast_error` is the fast method's own, relative to the sum over |energy|.
  void add_storm(std::int64_t impacts, double fast_error);

  double factor() const;
  /// The uncertainty that impact number i (from 0, of those with energy) of the last storm adds, to
  /// be attenuated like its energy, as a multiple of |energy|.
  double of_impact(std::int64_t i) const;
  /// How much less that is from one impact to the next.
  double step_of_impacts() const;
  UncertaintyGrowth growth() const;
  /// Whether anything is proved: the roundings of a storm add up to less than the value itself.
  bool holds() const;

 private:
  double impacts_ = 0;     // of the last storm
  double operations_ = 7;  // roundings that a share has seen at most; its own computation takes 7
  double storms_ = 0;
  double fast_error_ = 0;
  double grown_ = 1;  // bound on (1 + u)^impacts
};

/// The error that the fast engines ask of the convolution: far below what the rule's own roundings
/// leave open, 10 u = 6e-7 and more.
inline constexpr double fast_error = 3e-8;
/// With so many impacts a cell, uncertainties cell by cell cost less than the candidates they save.
inline constexpr double dense_storm = 1.0 / 16;
/// What double precision asks for: about what binary64 allows.
inline constexpr double double_precision_error = 1e-12;

/// Why a storm is computed directly after all, for Evidence.
inline constexpr const char* roundings_prove_nothing =
    "so many impacts leave nothing that their roundings prove";
inline constexpr const char* shares_may_not_count = "some shares may be below the threshold";
inline constexpr const char* too_many_candidates = "too many cells may be the maximum";

/// A fast layer with the bounds of its cells, and which of them may be the rule's maximum.
class Screening {
 public:
  /// Peaks count among cells begin .. end-1 of the layer; its first and last cell never do.
  /// `factor` as in ErrorBound, 0 when the layer tracks uncertainties.
  Screening(const cpu::ConvolvedLayer& layer, double factor, std::int64_t begin, std::int64_t end);

  /// What the rule's value of a cell can be.
  double lower(std::int64_t cell) const;
  double upper(std::int64_t cell) const;

  /// The largest strict local maximum of the fast layer above 0, the smallest position among
  /// equals.
  std::optional<std::int64_t> best_peak() const;

  /// Cells whose rule's value may be a strict local maximum above 0 and at least `least`, but for
  /// those that may reach `most`; ascending. Stops behind the first `limit` of them.
  std::vector<std::int64_t> candidates(double least, double most, std::size_t limit) const;

  /// A value that no more than about so many groups of cells may reach; 0 when that is all of them.
  double reached_by(std::int64_t groups) const;

 private:
  double highest(std::int64_t group) const;
  bool may_be_peak(std::int64_t cell) const;

  const cpu::ConvolvedLayer& layer_;
  double factor_;
  std::int64_t begin_, end_;
};

}  // namespace bombard
