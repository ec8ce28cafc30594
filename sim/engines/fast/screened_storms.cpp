#include "sim/engines/fast/screened_storms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/profiling_range.hpp"
#include "kernels/convolution/slab.hpp"
#include "sim/engines/costs.hpp"

namespace bombard {

namespace {

// Storms are sent together until they have this number of impacts: the first ones soon, so that the
// device begins early, and later ones in larger groups, which are gathered in half the time. Still
// larger groups would let the device wait (docs/journal.md, What a GPU waits for).
constexpr std::size_t enough_at_first = 1 << 12, enough_later = 1 << 14;

}  // namespace

ScreenedStorms::ScreenedStorms(const Part& part, const Rule& rule, int threads)
    : part_(part),
      rule_(rule),
      reaches_of_energies_(layer_rule(rule, part.total)),
      bound_(part, rule, reaches_of_energies_),
      impacts_(threads) {
  fast();
}

/// The fast layer, made anew if it was released.
cuda::ConvolvedLayer& ScreenedStorms::fast() {
  if (!fast_) {
    fast_.emplace(Slab{part_.held.begin, part_.held.count(), part_.total}, part_.own_among_held(),
                  rule_.attenuation, rule_.scale_in_double(part_.total), fast_error);
  }
  return *fast_;
}

void ScreenedStorms::reset() {
  if (fast_) fast_->clear();
  bound_ = ErrorBound(part_, rule_, reaches_of_energies_);
  impacts_.clear();
}

void ScreenedStorms::begin_with(std::span<const float> held) {
  fast().begin_with(held);
  bound_ = ErrorBound(part_, rule_, reaches_of_energies_, held);
}

std::size_t ScreenedStorms::apply(std::span<const StormView> storms) {
  std::int64_t impacts = impacts_.count();
  for (const StormView& storm : storms) impacts += static_cast<std::int64_t>(storm.impacts.size());
  impacts_.make_room(std::min(impacts, ErrorBound::most_impacts));
  screened_.at_least(static_cast<std::int64_t>(storms.size()));
  candidates_.at_least(most_candidates_on_gpu);

  std::size_t applied = 0;
  while (applied < storms.size()) {
    const std::vector<ErrorBound> bounds =
        send(storms.subspan(applied), applied == 0 ? enough_at_first : enough_later);
    if (bounds.empty()) break;
    apply_sent(storms.subspan(applied, bounds.size()), bounds, applied);
    applied += bounds.size();
  }
  return applied;
}

/// Sends the impacts of the next storms, several at once until these are `enough`, and returns
/// their bounds; none when no bound holds after the next one, or not all of its shares count.
std::vector<ErrorBound> ScreenedStorms::send(std::span<const StormView> storms,
                                             std::size_t enough) {
  const ProfilingRange range("send impacts");
  std::vector<ErrorBound> bounds;
  for (std::size_t impacts = 0; bounds.size() < storms.size() && impacts < enough;) {
    const StormView& storm = storms[bounds.size()];
    if (!bounded(storm)) break;
    bounds.push_back(bound_);
    impacts += storm.impacts.size();
  }
  impacts_.add(storms.first(bounds.size()));
  return bounds;
}

/// Whether a bound holds after the next storm, and all of its shares count.
bool ScreenedStorms::bounded(const StormView& storm) {
  if (!every_share_counts(reaches_of_energies_.rule(), storm.extent, part_.held)) {
    why_no_more_ = "not every share counts";
  } else if (!bound_.add_storm(storm, fast().relative_error())) {
    why_no_more_ = bound_.why_none();
  } else {
    return true;
  }
  return false;
}

/// Applies storms that were sent, and screens the layer after each; the first is number `first` of
/// the call.
void ScreenedStorms::apply_sent(std::span<const StormView> sent, std::span<const ErrorBound> bounds,
                                std::size_t first) {
  const ProfilingRange range("fast storms");
  std::span<const Impact> there = impacts_.from(impacts_.begin_of(impacts_.storms() - sent.size()));
  Screened* found = screened_.span().data() + first;
  const Screened* before = first > 0 ? found - 1 : nullptr;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const ErrorBound& bound = bounds[i];
    if (bound.tracked_from()) fast_->track_uncertainty(*bound.tracked_from());
    fast_->apply({.impacts = there.first(sent[i].impacts.size()),
                  .lowest = sent[i].extent.lowest,
                  .highest = sent[i].extent.highest,
                  .uncertainty = bound.of_last_storm()},
                 found);
    fast_->screen(bound.factor(), candidates_.span(), before, bound.absolute());
    there = there.subspan(sent[i].impacts.size());
    before = found++;
  }
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
  if (fast_) fast_->values(values);
  return values;
}

std::vector<float> ScreenedStorms::uncertainties() const {
  const std::vector<double> values = this->values();
  std::vector<float> uncertainties(values.size());
  if (fast_ && fast_->tracks_uncertainty()) fast_->uncertainties(uncertainties);
  const double factor = bound_.factor();
  const double absolute = bound_.absolute();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double bound = uncertainties[i] + factor * std::fabs(values[i]) + absolute;
    uncertainties[i] = uncertainty_once_rounded(values[i], bound);
  }
  return uncertainties;
}

}  // namespace bombard
