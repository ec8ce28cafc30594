#include "tools/judge/sequential_rule.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace bombard::judge {

namespace {

Edition other(Edition edition) {
  return edition == Edition::first ? Edition::second : Edition::first;
}

/// The first cell of each part but the first one.
std::vector<std::int64_t> borders_of(std::int64_t cells, const Deviation& deviation) {
  using LeftOver = Deviation::LeftOver;
  const std::int64_t parts = deviation.parts;
  std::vector<std::int64_t> borders;
  for (std::int64_t part = 1; part < parts; ++part) {
    std::int64_t first = part * (cells / parts);
    if (deviation.left_over == LeftOver::to_first_parts) first += std::min(part, cells % parts);
    if (deviation.left_over == LeftOver::spread) first = part * cells / parts;
    borders.push_back(first);
  }
  return borders;
}

/// The layer of a program that computes in `Real`.
template <class Real>
class SequentialLayer {
 public:
  SequentialLayer(const Case& tried, const Deviation& deviation)
      : deviation_(deviation),
        energies_(deviation.other_energies ? other(tried.edition) : tried.edition),
        cells_(tried.cells),
        smallest_(Real{0.001F}),
        layer_(static_cast<std::size_t>(tried.cells)),
        border_(layer_.size()) {
    const Edition threshold = deviation.other_threshold ? other(tried.edition) : tried.edition;
    if (threshold == Edition::second) smallest_ /= static_cast<Real>(cells_);
    for (const std::int64_t first : borders_of(cells_, deviation)) {
      if (first == 0 || first >= cells_) continue;  // more parts than cells
      border_[first - 1] = true;
      border_[first] = true;
    }
  }

  Maximum apply(const Storm& storm) {
    if (!deviation_.layer_kept) std::ranges::fill(layer_, Real{0});
    const std::vector<Real> before = layer_;
    for (const Impact& impact : storm.impacts) add(impact);
    relax(before);
    return maximum();
  }

 private:
  using Relaxation = Deviation::Relaxation;
  using Peaks = Deviation::Peaks;
  using Borders = Deviation::Borders;

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
    for (std::int64_t k = 0; k < cells_; ++k) {
      const Real added = share(energy, std::abs(impact.position - k) + 1);
      const bool counts = !deviation_.threshold || added >= smallest_ ||
                          (deviation_.negative_shares && added <= -smallest_);
      if (counts) layer_[k] += added;
    }
  }

  bool is_end(std::int64_t k) const {
    const bool of_part = deviation_.borders == Borders::as_ends && border_[k];
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
    // What a part has of its neighbours: their cells, or those from before the storm.
    const auto neighbour = [&](std::int64_t k, std::int64_t of) {
      const bool across = border_[k] && border_[of] && of_other_part(k, of);
      const bool old = across && deviation_.borders == Borders::without_new_shares;
      return old ? before[of] : from[of];
    };
    for (std::int64_t k = 0; k < cells_; ++k) {
      if (!is_end(k)) layer_[k] = (neighbour(k, k - 1) + from[k] + neighbour(k, k + 1)) / 3;
    }
    if (deviation_.relaxation == Relaxation::with_ends && cells_ > 1) {
      layer_[0] = (copy[0] + copy[1]) / 3;
      layer_[cells_ - 1] = (copy[cells_ - 2] + copy[cells_ - 1]) / 3;
    }
  }

  bool of_other_part(std::int64_t k, std::int64_t of) const {
    return std::ranges::any_of(borders_of(cells_, deviation_),
                               [&](std::int64_t first) { return (k < first) != (of < first); });
  }

  bool may_be_maximum(std::int64_t k) const {
    const bool inside = k > 0 && k < cells_ - 1;
    const Peaks peaks = deviation_.peaks;
    if (!inside && peaks != Peaks::with_ends && peaks != Peaks::largest_cell) return false;
    if (deviation_.borders != Borders::right && border_[k] &&
        deviation_.borders != Borders::without_new_shares) {
      return false;
    }
    if (peaks == Peaks::largest_cell || peaks == Peaks::largest_inside_cell) return true;
    const auto exceeds = [&](std::int64_t neighbour) {
      if (neighbour < 0 || neighbour >= cells_) return true;
      return peaks == Peaks::with_plateaus ? layer_[k] >= layer_[neighbour]
                                           : layer_[k] > layer_[neighbour];
    };
    return exceeds(k - 1) && exceeds(k + 1);
  }

  Maximum maximum() const {
    std::int64_t position = 0;
    Real value = 0;
    for (std::int64_t k = 0; k < cells_; ++k) {
      if (!may_be_maximum(k)) continue;
      const bool equal = deviation_.larger_position && layer_[k] == value && value > 0;
      if (layer_[k] > value || equal) {
        position = k;
        value = layer_[k];
      }
    }
    return {position, static_cast<double>(value)};
  }

  Deviation deviation_;
  Edition energies_;
  std::int64_t cells_;
  Real smallest_;
  std::vector<Real> layer_;
  std::vector<bool> border_;  ///< cells on both sides of where parts meet
};

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

std::vector<Maximum> sequential_maxima(const Case& tried, const Deviation& deviation) {
  return deviation.arithmetic == Deviation::Arithmetic::all_in_double
             ? maxima<double>(tried, deviation)
             : maxima<float>(tried, deviation);
}

}  // namespace bombard::judge
