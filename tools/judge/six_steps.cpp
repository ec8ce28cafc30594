#include "tools/judge/six_steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace bombard::judge {

double share_of_the_rule(At at, const Impact& impact, Cell k) {
  return at.share(impact, k, at.tried.edition);
}

bool threshold_of_the_rule(At at, double share) {
  return std::abs(share) >= at.least_share(at.tried.edition);
}

void relaxation_of_the_rule(SteppedProgram& at) {
  at.relax();
}

int relaxations_of_the_rule(At) {
  return 1;
}

std::vector<double> next_of_the_rule(At at) {
  return at.layer;
}

bool peak_of_the_rule(At at, Cell k, Cell neighbour) {
  return at.layer[k] > at.layer[neighbour];
}

bool edge_of_the_rule(At at, Cell k) {
  return at.is_end(k);
}

bool order_of_the_rule(Cell, Cell) {
  return false;
}

Maximum print_of_the_rule(SteppedProgram& at) {
  return at.highest();
}

SteppedProgram::SteppedProgram(const Case& tried, const SixSteps& steps)
    : tried(tried),
      steps(steps),
      cells(tried.cells),
      layer(static_cast<std::size_t>(tried.cells)),
      kept(layer) {}

std::vector<Maximum> SteppedProgram::maxima() {
  std::vector<Storm> storms = tried.storms;
  if (steps.storms_reversed) std::ranges::reverse(storms);
  std::vector<Maximum> found;
  for (storm = 0; storm < storms.size(); ++storm) {
    before = layer;
    for (const Impact& impact : storms[storm].impacts) {
      for (Cell k = 0; k < in_blocks(); ++k) {
        const double share = steps.share(*this, impact, k);
        if (steps.threshold(*this, share)) layer[k] = rounded(layer[k] + share);
      }
    }
    added = layer;
    for (int more = steps.relaxations(*this); more > 0; --more) steps.relaxation(*this);
    found.push_back(steps.print(*this));
    layer = steps.next(*this);
  }
  return found;
}

double SteppedProgram::energy(const Impact& impact, Edition edition) const {
  if (steps.energy_in_int && edition == Edition::first) return impact.energy / 1000;
  const double thousands = rounded(impact.energy);
  if (edition == Edition::first) return rounded(thousands / steps.thousand);
  double energy = rounded(thousands * steps.thousand);
  if (steps.energy_in_int) energy = rounded(static_cast<std::int32_t>(1000LL * impact.energy));
  return rounded(energy / rounded(static_cast<double>(cells + steps.divisor)));
}

double SteppedProgram::share(const Impact& impact, Cell k, Edition edition) const {
  return rounded(energy(impact, edition) / rounded(std::sqrt(rounded(distance(impact, k)))));
}

double SteppedProgram::least_share(Edition edition) const {
  constexpr double least = 0.001F;
  return edition == Edition::first ? least : rounded(least / rounded(static_cast<double>(cells)));
}

bool SteppedProgram::is_peak(Cell k) const {
  return !steps.edge(*this, k) && (k == 0 || steps.peak(*this, k, k - 1)) &&
         (k == cells - 1 || steps.peak(*this, k, k + 1));
}

Maximum SteppedProgram::highest(Cell begin, Cell end) const {
  Maximum found = steps.start;
  for (Cell k = begin; k < end; ++k) {
    if (layer[k] < found.value || !is_peak(k)) continue;
    const bool is_equal = layer[k] == found.value && found.value > 0;
    if (layer[k] > found.value || (is_equal && steps.order(k, found.position))) {
      found = {k, layer[k]};
    }
  }
  return found;
}

bool SteppedProgram::begins_part(Cell k) const {
  const Cell size = cells / parts;
  return size > 0 && k > 0 && k % size == 0 && k / size < parts;
}

}  // namespace bombard::judge
