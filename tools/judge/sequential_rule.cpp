#include "tools/judge/sequential_rule.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace bombard::judge {

namespace {

Edition other(Edition edition) {
  return edition == Edition::first ? Edition::second : Edition::first;
}

/// The cells that the parts compute: all of them, unless those that are left over are dropped.
std::int64_t computed_cells(std::int64_t cells, const Deviation& deviation) {
  const bool dropped = deviation.left_over >= Deviation::LeftOver::dropped;
  return dropped ? cells - cells % deviation.parts : cells;
}

/// Where each part begins, and the end of the last one.
std::vector<std::int64_t> parts_of(std::int64_t cells, const Deviation& deviation) {
  using LeftOver = Deviation::LeftOver;
  const std::int64_t parts = deviation.parts;
  std::vector<std::int64_t> begins;
  for (std::int64_t part = 0; part < parts; ++part) {
    std::int64_t begin = part * (cells / parts);
    if (deviation.left_over == LeftOver::to_first_parts) begin += std::min(part, cells % parts);
    if (deviation.left_over == LeftOver::spread) begin = part * cells / parts;
    begins.push_back(begin);
  }
  begins.push_back(computed_cells(cells, deviation));
  return begins;
}

/// The layer of a program that computes in `Real`.
template <class Real>
class SequentialLayer {
 public:
  SequentialLayer(const Case& tried, const Deviation& deviation)
      : deviation_(deviation),
        energies_(deviation.other_energies ? other(tried.edition) : tried.edition),
        cells_(tried.cells),
        computed_(computed_cells(cells_, deviation)),
        parts_(parts_of(cells_, deviation)),
        smallest_(Real{0.001F}),
        layer_(static_cast<std::size_t>(tried.cells)),
        begins_part_(layer_.size() + 1) {
    const Edition threshold = deviation.other_threshold ? other(tried.edition) : tried.edition;
    if (threshold == Edition::second) smallest_ /= static_cast<Real>(cells_);
    for (const std::int64_t begin : parts_) begins_part_[begin] = begin > 0 && begin < computed_;
  }

  Maximum apply(const Storm& storm) {
    if (!deviation_.layer_kept) std::ranges::fill(layer_, Real{0});
    const std::vector<Real> before = layer_;
    for (const Impact& impact : storm.impacts) add(impact);
    relax(before);
    const Maximum last = std::exchange(last_, reduced_maximum());
    const bool position_of_last = deviation_.kept == Kept::printed_position;
    return position_of_last ? Maximum{last.position, last_.value} : last_;
  }

 private:
  using Relaxation = Deviation::Relaxation;
  using Peaks = Deviation::Peaks;
  using Borders = Deviation::Borders;
  using Kept = Deviation::Kept;
  using Reduction = Deviation::Reduction;

  Real energy_of(const Impact& impact) const {
    const auto thousands = static_cast<Real>(impact.energy);
    return energies_ == Edition::first ? thousands / 1000
                                       : thousands * 1000 / static_cast<Real>(cells_);
  }

  Real share(Real energy, std::int64_t distance) const {
    if (deviation_.arithmetic == Deviation::Arithmetic::root_in_double) {
      return static_cast<Real>(energy / std::sqrt(static_cast<double>(distance)));
    }
    return energy / std::sqrt(static_cast<Real>(distance));
  }

  void add(const Impact& impact) {
    const bool is_outside = impact.position < 0 || impact.position >= cells_;
    if (is_outside && !deviation_.impacts_outside) return;
    const Real energy = energy_of(impact);
    for (std::int64_t k = 0; k < computed_; ++k) {
      const Real added = share(energy, std::abs(impact.position - k) + 1);
      const bool counts = !deviation_.threshold || added >= smallest_ ||
                          (deviation_.negative_shares && added <= -smallest_);
      if (counts) layer_[k] += added;
    }
  }

  /// Whether it lies where two parts meet.
  bool is_border(std::int64_t k) const { return begins_part_[k] || begins_part_[k + 1]; }

  bool is_end(std::int64_t k) const {
    const bool of_part =
        (deviation_.borders == Borders::as_ends && is_border(k)) ||
        (deviation_.borders == Borders::last_not_relaxed && begins_part_[k + 1]) ||
        (deviation_.left_over == Deviation::LeftOver::dropped_behind_end && k == computed_ - 1);
    return k == 0 || k == cells_ - 1 || of_part;
  }

  void relax(const std::vector<Real>& before) {
    if (deviation_.relaxation == Relaxation::none) return;
    relax_once(before);
    if (deviation_.relaxation == Relaxation::twice) relax_once(before);
  }

  void relax_once(const std::vector<Real>& before) {
    const std::vector<Real> copy = layer_;
    const std::vector<Real>& from = deviation_.relaxation == Relaxation::in_place ? layer_ : copy;
    // What a part has of its neighbours: their cells, older ones, or others.
    const auto neighbour = [&](std::int64_t k, std::int64_t of) {
      if (!begins_part_[std::max(k, of)]) return from[of];
      const std::int64_t behind = of + (of - k);
      if (deviation_.borders == Borders::without_new_shares) return before[of];
      if (deviation_.borders != Borders::one_too_far || behind < 0 || behind >= cells_) {
        return from[of];
      }
      return from[behind];
    };
    for (std::int64_t k = 0; k < computed_; ++k) {
      if (!is_end(k)) layer_[k] = (neighbour(k, k - 1) + from[k] + neighbour(k, k + 1)) / 3;
    }
    if (deviation_.relaxation == Relaxation::with_ends && cells_ > 1) {
      layer_[0] = (copy[0] + copy[1]) / 3;
      layer_[cells_ - 1] = (copy[cells_ - 2] + copy[cells_ - 1]) / 3;
    }
  }

  bool may_be_maximum(std::int64_t k) const {
    const bool inside = k > 0 && k < cells_ - 1;
    const Peaks peaks = deviation_.peaks;
    if (!inside && peaks != Peaks::with_ends && peaks != Peaks::largest_cell) return false;
    const bool none_at_borders =
        deviation_.borders == Borders::as_ends || deviation_.borders == Borders::without_peaks;
    if (none_at_borders && is_border(k)) return false;
    if (peaks == Peaks::largest_cell || peaks == Peaks::largest_inside_cell) return true;
    const auto exceeds = [&](std::int64_t neighbour) {
      if (neighbour < 0 || neighbour >= cells_) return true;
      return peaks == Peaks::with_plateaus ? layer_[k] >= layer_[neighbour]
                                           : layer_[k] > layer_[neighbour];
    };
    return exceeds(k - 1) && exceeds(k + 1);
  }

  /// The maximum of the cells from `begin` on.
  Maximum maximum(std::int64_t begin, std::int64_t end) const {
    std::int64_t position = deviation_.no_peak.position;
    auto value = static_cast<Real>(deviation_.no_peak.value);
    if (deviation_.kept >= Kept::position) position = last_.position;
    if (deviation_.kept == Kept::maximum) value = static_cast<Real>(last_.value);
    for (std::int64_t k = begin; k < end; ++k) {
      if (!may_be_maximum(k)) continue;
      const bool equal = deviation_.larger_position && layer_[k] == value && value > 0;
      if (layer_[k] > value || equal) {
        position = k;
        value = layer_[k];
      }
    }
    return {position, static_cast<double>(value)};
  }

  Maximum reduced_maximum() const {
    Maximum all = maximum(0, cells_);
    if (deviation_.reduction == Reduction::together) return all;
    all.position = maximum(0, parts_[1]).position;
    if (deviation_.reduction == Reduction::position_of_first_part) return all;
    for (std::size_t part = 1; part + 1 < parts_.size(); ++part) {
      all.position = std::max(all.position, maximum(parts_[part], parts_[part + 1]).position);
    }
    return all;
  }

  Deviation deviation_;
  Edition energies_;
  std::int64_t cells_;
  std::int64_t computed_;  ///< the cells behind these stay 0
  std::vector<std::int64_t> parts_;
  Real smallest_;
  std::vector<Real> layer_;
  std::vector<bool> begins_part_;  ///< another part ends before such a cell
  Maximum last_;
};

/// Takes a member over where it deviates from the rule; false where the two contradict each other.
template <class Member>
bool take_over(Member& into, const Member& member, const Member& rule) {
  if (into != rule && member != rule && into != member) return false;
  if (into == rule) into = member;
  return true;
}

auto members_of(auto& deviation) {
  auto& [other_energies, other_threshold, threshold, negative_shares, impacts_outside, relaxation,
         peaks, larger_position, no_peak, layer_kept, kept, storms_reversed, arithmetic, parts,
         borders, left_over, reduction] = deviation;
  return std::tie(other_energies, other_threshold, threshold, negative_shares, impacts_outside,
                  relaxation, peaks, larger_position, no_peak, layer_kept, kept, storms_reversed,
                  arithmetic, parts, borders, left_over, reduction);
}

template <class Real>
std::vector<Maximum> maxima(const Case& tried, const Deviation& deviation) {
  SequentialLayer<Real> layer(tried, deviation);
  std::vector<Maximum> found;
  for (std::size_t i = 0; i < tried.storms.size(); ++i) {
    const std::size_t storm = deviation.storms_reversed ? tried.storms.size() - 1 - i : i;
    found.push_back(layer.apply(tried.storms[storm]));
  }
  return found;
}

}  // namespace

std::optional<Deviation> both(const Deviation& one, const Deviation& other) {
  if (one.parts > 1 && other.parts > 1 && one.left_over != other.left_over) return {};
  const Deviation rule;
  Deviation joined = one;
  const auto take_all_over = [&](auto&... into) {
    return std::apply(
        [&](const auto&... member) {
          return std::apply(
              [&](const auto&... of_rule) { return (take_over(into, member, of_rule) && ...); },
              members_of(rule));
        },
        members_of(other));
  };
  if (!std::apply(take_all_over, members_of(joined))) return {};
  return joined;
}

std::vector<Maximum> sequential_maxima(const Case& tried, const Deviation& deviation) {
  return deviation.arithmetic == Deviation::Arithmetic::all_in_double
             ? maxima<double>(tried, deviation)
             : maxima<float>(tried, deviation);
}

}  // namespace bombard::judge
