#include "sim/engines/screened_storms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/profiling_range.hpp"
#include "kernels/convolution/slab.hpp"
#include "sim/engines/costs.hpp"

namespace bombard {

namespace {

// Storms are sent together until they have this number of impacts: the first of a call soon, so
// that the device begins early, and later ones, while it is busy, in larger numbers. Measured on an
// H200 (docs/journal.md: 4e6 cells, 5000 impacts, 4 storms in 0.43 instead of 0.48 ms).
constexpr std::size_t enough_to_begin = 1 << 12;
constexpr std::size_t enough_to_go_on = 1 << 15;

}  // namespace

template <class Law>
ScreenedStorms<Law>::ScreenedStorms(const Part& part, const Rule& rule,
                                    const LayerRule<Law>& of_layer)
    : part_(part),
      rule_(rule),
      of_layer_(of_layer),
      reaches_of_energies_(of_layer),
      bounds_(part, of_layer, reaches_of_energies_) {
  reset();
}

template <class Law>
void ScreenedStorms<Law>::reset() {
  if (fast_) {
    fast_->clear();
  } else {
    fast_.emplace(Slab{part_.held.begin, part_.held.count(), part_.total}, part_.own_among_held(),
                  rule_.attenuation, rule_.scale_in_double(part_.total), fast_error);
  }
  bounds_ = StormBounds<Law>(part_, of_layer_, reaches_of_energies_);
  impacts_.clear();
}

template <class Law>
void ScreenedStorms<Law>::begin_with(std::span<const float> held) {
  fast_->begin_with(held);
  bounds_ = StormBounds<Law>(part_, of_layer_, reaches_of_energies_, held);
}

template <class Law>
std::size_t ScreenedStorms<Law>::apply(std::span<const StormView> storms) {
  std::int64_t impacts = impacts_.count();
  for (const StormView& storm : storms) impacts += static_cast<std::int64_t>(storm.impacts.size());
  impacts_.make_room(std::min(impacts, ErrorBound::most_impacts));
  screened_.at_least(static_cast<std::int64_t>(storms.size()));
  candidates_.make_room(most_candidates_on_gpu);

  std::size_t applied = 0;
  while (applied < storms.size()) {
    const std::size_t enough = applied == 0 ? enough_to_begin : enough_to_go_on;
    const std::vector<SentStorm> sent = send(storms.subspan(applied), enough);
    if (sent.empty()) break;
    apply_sent(sent, applied);
    applied += sent.size();
  }
  return applied;
}

/// Sends the impacts of the next storms, several at once until that is `enough`; none when no bound
/// holds after the next one, or not all of its shares count.
template <class Law>
std::vector<typename ScreenedStorms<Law>::SentStorm> ScreenedStorms<Law>::send(
    std::span<const StormView> storms, std::size_t enough) {
  const ProfilingRange range("send impacts");
  std::size_t most = 0;
  std::size_t count = 0;
  while (count < storms.size() && most < enough) most += storms[count++].impacts.size();

  Impact* next =
      impacts_.fill(std::min(static_cast<std::int64_t>(most), ErrorBound::most_impacts)).data();
  std::vector<SentStorm> sent;
  for (const StormView& storm : storms.first(count)) {
    const auto impacts = static_cast<std::int64_t>(storm.impacts.size());
    if (!bounds_.may_take(impacts)) {
      why_no_more_ = bounds_.why_none();
      break;
    }
    const StormExtent extent = copied(storm.impacts, next);
    const std::optional<StormBound> bound = bound_after(storm, extent);
    if (!bound) break;
    next += impacts;
    sent.push_back({impacts_.count(), impacts_.count() + impacts, extent, *bound});
    impacts_.add(extent, impacts);
  }
  impacts_.send();
  return sent;
}

template <class Law>
std::optional<StormBound> ScreenedStorms<Law>::bound_after(const StormView& storm,
                                                           const StormExtent& extent) {
  if (!every_share_counts(of_layer_, extent, part_.held)) {
    why_no_more_ = "not every share counts";
    return std::nullopt;
  }
  const FastError error{.relative = fast_->relative_error(), .of_end = 0};
  std::optional<StormBound> bound = bounds_.after(storm.impacts, extent, error);
  if (!bound) why_no_more_ = bounds_.why_none();
  return bound;
}

/// Applies storms that were sent, gathers at once all that fit, and screens the layer after each;
/// the first is number `first` of the call.
template <class Law>
void ScreenedStorms<Law>::apply_sent(std::span<const SentStorm> sent, std::size_t first) {
  std::vector<cuda::StormImpacts> storms;
  std::size_t tracked_from = sent.size();  // the storm from which uncertainties are tracked, if any
  for (const SentStorm& storm : sent) {
    if (storm.bound.tracked_from) tracked_from = storms.size();
    storms.push_back(
        {.impacts = slice(impacts_.from(0), {storm.begin, storm.end}),
         .lowest = storm.extent.lowest,
         .highest = storm.extent.highest,
         .uncertainty = StormUncertainty{storm.bound.uncertainty, storm.bound.growth}});
  }

  Screened* found = screened_.span().data() + first;
  const Screened* before = first > 0 ? found - 1 : nullptr;
  for (std::size_t done = 0; done < sent.size();) {
    const ProfilingRange range("fast storms");
    if (done == tracked_from) fast_->track_uncertainty(*sent[done].bound.tracked_from);
    // Storms that are gathered at once are all tracked, or none of them.
    const std::size_t end = done < tracked_from ? tracked_from : sent.size();
    const std::size_t gathered = fast_->gather(std::span(storms).subspan(done, end - done));
    for (const SentStorm& storm : sent.subspan(done, gathered)) {
      fast_->apply_gathered(found);
      fast_->screen(storm.bound.factor, candidates_.span(), before, storm.bound.absolute);
      before = found++;
    }
    done += gathered;
  }
}

template <class Law>
ScreenedCall ScreenedStorms<Law>::found(std::size_t storms) {
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
  call.candidates = candidates_.read(used);
  return call;
}

template <class Law>
std::vector<double> ScreenedStorms<Law>::values() const {
  std::vector<double> values(static_cast<std::size_t>(part_.held.count()));
  fast_->values(values);
  return values;
}

template <class Law>
std::vector<float> ScreenedStorms<Law>::uncertainties() const {
  const std::vector<double> values = this->values();
  std::vector<float> uncertainties(values.size());
  if (fast_->tracks_uncertainty()) fast_->uncertainties(uncertainties);
  const double factor = bounds_.factor();
  const double absolute = bounds_.absolute();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double bound = uncertainties[i] + factor * std::fabs(values[i]) + absolute;
    uncertainties[i] = uncertainty_once_rounded(values[i], bound);
  }
  return uncertainties;
}

template class ScreenedStorms<SquareRootLaw>;
template class ScreenedStorms<GeneralLaw>;

}  // namespace bombard
