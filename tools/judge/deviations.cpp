#include "tools/judge/deviations.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

namespace bombard::judge {

namespace {

/// The layer of a program that computes in `Real`.
template <class Real>
class DeviatingLayer {
 public:
  DeviatingLayer(const Case& tried, const std::vector<Deviation>& deviations, int parts)
      : cells_(tried.cells), layer_(static_cast<std::size_t>(tried.cells)) {
    for (const Deviation deviation : deviations) deviations_.set(deviation.row);
    is_first_edition_ = (tried.edition == Edition::first) != has("energies_of_other_edition");
    const bool has_first_threshold =
        (tried.edition == Edition::first) != has("threshold_of_other_edition");
    if (!has_first_threshold) smallest_ /= static_cast<Real>(cells_);
    find_parts(parts);
  }

  Maximum apply(const Storm& storm) {
    if (has("layer_not_kept")) std::ranges::fill(layer_, Real{0});
    const std::vector<Real> before = layer_;
    if (has("storm_summed_apart")) std::ranges::fill(layer_, Real{0});
    for (const Impact& impact : storm.impacts) add(impact);
    if (has("storm_summed_apart"))
      std::ranges::transform(before, layer_, layer_.begin(), std::plus());
    not_relaxed_ = layer_;
    if (!has("no_relaxation")) relax(before);
    if (has("relaxed_twice")) relax(before);
    const Maximum earlier = std::exchange(last_, reduced_maximum());
    if (has("relaxation_not_kept")) layer_ = not_relaxed_;
    if (has("position_not_set")) return {0, last_.value};
    return has("stale_position") ? Maximum{earlier.position, last_.value} : last_;
  }

  bool has(Deviation deviation) const { return deviations_[deviation.row]; }

 private:
  void find_parts(int parts) {
    const bool dropped = has("leftover_cells_dropped") || has("leftover_cells_dropped_behind_end");
    computed_ = dropped ? cells_ - cells_ % parts : cells_;
    for (std::int64_t part = 0; part < parts; ++part) {
      std::int64_t begin = part * (cells_ / parts);
      if (has("first_parts_larger")) begin += std::min(part, cells_ % parts);
      if (has("larger_parts_spread")) begin = part * cells_ / parts;
      parts_.push_back(begin);
    }
    parts_.push_back(computed_);
    begins_part_.resize(layer_.size() + 1);
    for (const std::int64_t begin : parts_) begins_part_[begin] = begin > 0 && begin < computed_;
  }

  void add(const Impact& impact) {
    const bool is_outside = impact.position < 0 || impact.position >= cells_;
    if (is_outside && has("no_impacts_outside")) return;
    const auto thousands = static_cast<Real>(impact.energy);
    const Real energy =
        is_first_edition_ ? thousands / 1000 : thousands * 1000 / static_cast<Real>(cells_);
    for (std::int64_t k = 0; k < computed_; ++k) {
      const auto distance = static_cast<double>(std::abs(impact.position - k) + 1);
      const Real added = has("root_in_double") ? static_cast<Real>(energy / std::sqrt(distance))
                                               : energy / std::sqrt(static_cast<Real>(distance));
      const bool counts = has("no_threshold") || added >= smallest_ ||
                          (!has("no_negative_shares") && added <= -smallest_);
      if (counts) layer_[k] += added;
    }
  }

  /// Whether the cell is where two parts meet.
  bool is_border(std::int64_t k) const { return begins_part_[k] || begins_part_[k + 1]; }

  bool is_end(std::int64_t k) const {
    return k == 0 || k == cells_ - 1 || (has("parts_with_ends") && is_border(k)) ||
           (has("parts_with_last_cells_not_relaxed") && begins_part_[k + 1]) ||
           (has("leftover_cells_dropped_behind_end") && k == computed_ - 1);
  }

  void relax(const std::vector<Real>& before) {
    const std::vector<Real> copy = layer_;
    const std::vector<Real>& from = has("relaxation_in_place") ? layer_ : copy;
    // What a part sees of its neighbours: their cells, older ones, or others.
    const auto neighbour = [&](std::int64_t k, std::int64_t of) {
      const bool is_other_part = begins_part_[std::max(k, of)];
      if (is_other_part && has("parts_with_old_neighbours")) return before[of];
      const std::int64_t behind = of + (of - k);
      const bool is_too_far =
          is_other_part && has("parts_with_other_neighbours") && behind >= 0 && behind < cells_;
      return from[is_too_far ? behind : of];
    };
    for (std::int64_t k = 0; k < computed_; ++k) {
      if (!is_end(k)) layer_[k] = (neighbour(k, k - 1) + from[k] + neighbour(k, k + 1)) / 3;
    }
    if (has("ends_relaxed") && cells_ > 1) {
      layer_[0] = (copy[0] + copy[1]) / 3;
      layer_[cells_ - 1] = (copy[cells_ - 2] + copy[cells_ - 1]) / 3;
    }
  }

  bool may_be_maximum(std::int64_t k) const {
    const bool is_inside = k > 0 && k < cells_ - 1;
    if (!is_inside && !has("ends_as_peaks") && !has("largest_cell")) return false;
    if ((has("parts_with_ends") || has("parts_without_peaks")) && is_border(k)) return false;
    if (has("largest_cell") || has("largest_inside_cell")) return true;
    const auto exceeds = [&](std::int64_t neighbour) {
      if (neighbour < 0 || neighbour >= cells_) return true;
      const bool is_other_part = begins_part_[std::max(k, neighbour)];
      if (is_other_part && has("parts_with_peaks_beside_one_neighbour")) return true;
      const bool is_old = is_other_part && has("parts_with_peaks_beside_one_not_relaxed");
      const Real beside = (is_old ? not_relaxed_ : layer_)[neighbour];
      const bool may_equal =
          has("plateaus_as_peaks") || (has("plateau_ends_as_peaks") && neighbour < k);
      return layer_[k] > beside || (may_equal && layer_[k] == beside);
    };
    return exceeds(k - 1) && exceeds(k + 1);
  }

  /// Whether a reduction that repeatedly halves its values keeps this one of two equal ones: the
  /// cells meet in the step of the lowest bit in which they differ.
  static bool is_first_in_a_tree(std::int64_t k, std::int64_t other) {
    const std::int64_t apart = k ^ other;
    return (k & apart & -apart) == 0;
  }

  /// The maximum of the cells from `begin` on.
  Maximum maximum(std::int64_t begin, std::int64_t end) const {
    std::int64_t position = has("minus_one_without_peak") ? -1 : 0;
    Real value = has("maximum_minus_one_without_peak") ? -1 : 0;
    if (has("lowest_maximum_without_peak")) value = std::numeric_limits<float>::lowest();
    if (has("position_kept") || has("stale_maximum")) position = last_.position;
    if (has("stale_maximum")) value = static_cast<Real>(last_.value);
    for (std::int64_t k = begin; k < end; ++k) {
      if (!may_be_maximum(k)) continue;
      const bool is_later = has("larger_position") ||
                            (has("equal_maxima_in_a_tree") && is_first_in_a_tree(k, position));
      if (layer_[k] > value || (is_later && layer_[k] == value && value > 0)) {
        position = k;
        value = layer_[k];
      }
    }
    return {position, static_cast<double>(value)};
  }

  Maximum reduced_maximum() const {
    Maximum all = maximum(0, cells_);
    if (has("position_not_sent")) all.position = maximum(0, parts_[1]).position;
    std::int64_t largest = 0;
    for (std::size_t part = 0; part + 1 < parts_.size(); ++part) {
      const Maximum of_part = maximum(parts_[part], parts_[part + 1]);
      largest = std::max(largest, of_part.position);
      if (has("parts_with_larger_position") && of_part.value == all.value) all = of_part;
    }
    if (has("position_reduced_apart")) all.position = largest;
    return all;
  }

  std::bitset<std::size(deviation_rows)> deviations_;
  bool is_first_edition_;  ///< its energies
  std::int64_t cells_;
  std::int64_t computed_;            ///< the cells after these stay 0
  std::vector<std::int64_t> parts_;  ///< where each part begins, and the end of the last one
  Real smallest_{0.001F};
  std::vector<Real> layer_, not_relaxed_;
  std::vector<bool> begins_part_;  ///< another part ends before this cell
  Maximum last_;
};

template <class Real>
std::vector<Maximum> maxima(const Case& tried, const std::vector<Deviation>& deviations,
                            int parts) {
  DeviatingLayer<Real> layer(tried, deviations, parts);
  std::vector<Storm> storms = tried.storms;
  if (layer.has("storms_reversed")) std::ranges::reverse(storms);
  std::vector<Maximum> found;
  for (const Storm& storm : storms) found.push_back(layer.apply(storm));
  return found;
}

}  // namespace

std::vector<Maximum> maxima_with(const Case& tried, const std::vector<Deviation>& deviations,
                                 int parts) {
  const bool is_in_double = std::ranges::count(deviations, Deviation("all_in_double")) > 0;
  return is_in_double ? maxima<double>(tried, deviations, parts)
                      : maxima<float>(tried, deviations, parts);
}

}  // namespace bombard::judge
