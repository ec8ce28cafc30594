#include "sim/engines/fast/screened_storms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/profiling_range.hpp"
#include "kernels/convolution/slab.hpp"
#include "sim/engines/costs.hpp"

namespace bombard {

ScreenedStorms::ScreenedStorms(const Part& part, const Rule& rule)
    : part_(part),
      rule_(rule),
      reaches_of_energies_(layer_rule(rule, part.total)),
      bound_(part, rule, reaches_of_energies_) {
  reset();
}

void ScreenedStorms::reset() {
  if (fast_) {
    fast_->clear();
  } else {
    fast_.emplace(Slab{part_.held.begin, part_.held.count(), part_.total}, part_.own_among_held(),
                  rule_.attenuation, rule_.scale_in_double(part_.total), fast_error);
  }
  bound_ = ErrorBound(part_, rule_, reaches_of_energies_);
  impacts_.clear();
}

void ScreenedStorms::begin_with(std::span<const float> held) {
  fast_->begin_with(held);
  bound_ = ErrorBound(part_, rule_, reaches_of_energies_, held);
}

std::size_t ScreenedStorms::apply(std::span<const StormView> storms) {
  std::int64_t impacts = impacts_.count();
  for (const StormView& storm : storms) impacts += static_cast<std::int64_t>(storm.impacts.size());
  impacts_.make_room(std::min(impacts, ErrorBound::most_impacts));
  screened_.at_least(static_cast<std::int64_t>(storms.size()));
  candidates_.at_least(most_candidates_on_gpu);

  Screened* found = screened_.span().data();
  std::size_t applied = 0;
  for (; applied < storms.size() && bounded(storms[applied]); ++applied, ++found) {
    const ProfilingRange range("fast storm");
    const StormView& storm = storms[applied];
    const std::span<const Impact> sent = impacts_.add(storm);
    if (bound_.tracked_from()) fast_->track_uncertainty(*bound_.tracked_from());
    fast_->apply({.impacts = sent,
                  .lowest = storm.extent.lowest,
                  .highest = storm.extent.highest,
                  .uncertainty = bound_.of_last_storm()},
                 found);
    fast_->screen(bound_.factor(), candidates_.span(), applied > 0 ? found - 1 : nullptr,
                  bound_.absolute());
  }
  return applied;
}

/// Whether a bound holds after the next storm, and all of its shares count.
bool ScreenedStorms::bounded(const StormView& storm) {
  if (!bound_.add_storm(storm, fast_->relative_error())) {
    why_no_more_ = bound_.why_none();
  } else if (!every_share_counts(reaches_of_energies_.rule(), storm.extent, part_.held)) {
    why_no_more_ = "not every share counts";
  } else {
    return true;
  }
  return false;
}

ScreenedCall ScreenedStorms::found(std::size_t storms) {
  ScreenedCall call{impacts_.storms() - storms, std::vector<Screened>(storms), {}};
  screened_.copy_to(call.storms);
  std::size_t used = 0;
  for (std::size_t i = 0; i < storms; ++i) {
    const std::size_t count = call.storms[i].count;
    if (used + count > most_candidates_on_gpu) {
      call.storms.resize(i);
      call.too_many = true;
      break;
    }
    used += count;
  }
  call.candidates.resize(used);
  candidates_.copy_to(call.candidates);
  return call;
}

std::vector<double> ScreenedStorms::values() const {
  std::vector<double> values(static_cast<std::size_t>(part_.held.count()));
  fast_->values(values);
  return values;
}

std::vector<float> ScreenedStorms::uncertainties() const {
  const std::vector<double> values = this->values();
  std::vector<float> uncertainties(values.size());
  if (fast_->tracks_uncertainty()) fast_->uncertainties(uncertainties);
  const double factor = bound_.factor();
  const double absolute = bound_.absolute();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double bound = uncertainties[i] + factor * std::fabs(values[i]) + absolute;
    uncertainties[i] = uncertainty_once_rounded(values[i], bound);
  }
  return uncertainties;
}

}  // namespace bombard
