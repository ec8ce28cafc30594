#include "tools/judge/six_steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace bombard::judge {

float share_of_the_rule(At at, const Impact& impact, Cell k) {
  return at.share(impact, k, at.tried.edition);
}

bool threshold_of_the_rule(At at, float share) {
  return std::abs(share) >= at.least_share(at.tried.edition);
}

float relaxation_of_the_rule(At at, Cell k) {
  return at.is_end(k) ? at.added[k] : at.third(at.added[k - 1], at.added[k], at.added[k + 1]);
}

bool peak_of_the_rule(At at, Cell k, Cell neighbour) {
  return at.layer[k] > at.layer[neighbour];
}

bool edge_of_the_rule(At at, Cell k) {
  return at.is_end(k);
}

SteppedProgram::SteppedProgram(const Case& tried, const SixSteps& steps)
    : tried(tried),
      steps(steps),
      cells(tried.cells),
      layer(static_cast<std::size_t>(tried.cells)) {}

std::vector<Maximum> SteppedProgram::maxima() {
  std::vector<Maximum> found;
  for (storm = 0; storm < tried.storms.size(); ++storm) {
    before = layer;
    for (const Impact& impact : tried.storms[storm].impacts) {
      for (Cell k = 0; k < in_blocks(); ++k) {
        const float share = steps.share(*this, impact, k);
        if (steps.threshold(*this, share)) layer[k] += share;
      }
    }
    added = layer;
    for (Cell i = 0; i < cells; ++i) {
      const Cell k = steps.from_right ? cells - 1 - i : i;
      layer[k] = steps.relaxation(*this, k);
    }
    found.push_back(steps.print(*this, highest()));
  }
  return found;
}

float SteppedProgram::share(const Impact& impact, Cell k, Edition edition) const {
  const auto energy = static_cast<float>(impact.energy);
  if (edition == Edition::first) return share(energy / steps.thousand, impact, k);
  return share(energy * steps.thousand / static_cast<float>(cells + steps.divisor), impact, k);
}

float SteppedProgram::share(float energy, const Impact& impact, Cell k) const {
  return energy / std::sqrt(static_cast<float>(std::abs(impact.position - k) + steps.own));
}

float SteppedProgram::least_share(Edition edition) const {
  constexpr float least = 0.001F;
  return edition == Edition::first ? least : least / static_cast<float>(cells);
}

Maximum SteppedProgram::highest(Cell begin, Cell end) const {
  const auto is_peak = [&](Cell k) {
    return !steps.edge(*this, k) && (k == 0 || steps.peak(*this, k, k - 1)) &&
           (k == cells - 1 || steps.peak(*this, k, k + 1));
  };
  Maximum found;
  for (Cell k = begin; k < end; ++k) {
    if (layer[k] <= 0 || layer[k] < found.value || !is_peak(k)) continue;
    if (layer[k] > found.value || steps.order(*this, k, found.position)) found = {k, layer[k]};
  }
  return found;
}

Cell SteppedProgram::part_begin(Cell k) const {
  constexpr Cell parts = 4;
  const Cell size = cells / parts;
  return size == 0 ? 0 : std::min(k / size, parts - 1) * size;
}

}  // namespace bombard::judge
