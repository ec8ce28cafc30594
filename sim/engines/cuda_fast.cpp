// Almost none of the interactions, the same maxima (docs/methods.md): the layer in binary64 by
// exponential sums, storm after storm, then in one go the few cells that may be the maxima by the
// rule itself.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "kernels/base/profiling_range.hpp"
#include "kernels/base/registry.hpp"
#include "kernels/convolution/device_convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/upload.hpp"
#include "kernels/layer/attenuation.hpp"
#include "kernels/layer/storm_tiles.hpp"
#include "sim/engines/cuda_direct.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/screening.hpp"
#include "sim/engines/storm_deposits.hpp"
#include "sim/engines/tile_plan.hpp"

namespace bombard {

namespace {

// An interaction in a tile costs as much as so many of the direct engine's, and so many are no
// reason to go direct.
constexpr double tile_cost = 1.25;
constexpr double cheap = 1e9;
// Of all storms of a call.
constexpr std::int64_t most_candidates = 1 << 17;
// More are worth a first look at the highest peaks alone, and so are more candidates, which take
// long to plan.
constexpr double few_interactions = 1e9;
constexpr std::int64_t few_candidates = 1 << 12;

template <class Law>
class CudaFast final : public Engine {
 public:
  explicit CudaFast(const EngineOptions& options)
      : options_(options),
        held_(with_margin(options.part, options.storms)),
        smallest_(smallest_share(options.threshold, options.part.total)) {
    reset();
  }

  std::vector<Maximum> apply(std::span<const Storm> storms) override {
    std::vector<Maximum> maxima;
    if (fast_) {
      const std::size_t begin = ends_.size();
      const std::size_t applied = apply_fast(storms);
      maxima = confirmed(begin);
      if (maxima.size() == storms.size()) return maxima;
      go_direct(maxima, applied - maxima.size());
      storms = storms.subspan(applied);
    }
    const std::vector<Maximum> rest = direct_->apply(storms);
    maxima.insert(maxima.end(), rest.begin(), rest.end());
    evidence_.insert(evidence_.end(), rest.size(), {true, options_.part.count, 0, why_direct_});
    return maxima;
  }

  void reset() override {
    direct_.reset();
    if (fast_) {
      fast_->clear();
    } else {
      fast_.emplace(held_.count, Law::power, 1000.0 / static_cast<double>(options_.part.total),
                    fast_error);
    }
    bound_ = ErrorBound();
    tracked_ = false;
    ends_.clear();
    extent_ = {};
    evidence_.clear();
  }

  std::vector<Evidence> evidence() const override { return evidence_; }

  std::vector<float> layer() const override {
    if (direct_) return direct_->layer();
    std::vector<double> values(static_cast<std::size_t>(held_.count));
    fast_->values(values);
    const auto own = values.begin() + held_.offset;
    return {own, own + options_.part.count};
  }

  std::vector<float> layer_uncertainty() const override {
    if (direct_) return {};
    std::vector<double> values(static_cast<std::size_t>(held_.count));
    fast_->values(values);
    std::vector<float> uncertainty(values.size());
    if (fast_->tracks_uncertainty()) fast_->uncertainties(uncertainty);
    const double factor = bound_factor();
    for (std::size_t i = 0; i < values.size(); ++i) {
      // And what rounding the value to binary32 takes.
      const double bound = uncertainty[i] + (factor + 0x1p-24) * std::fabs(values[i]);
      uncertainty[i] = rounded_up(bound);
    }
    const auto own = uncertainty.begin() + held_.offset;
    return {own, own + options_.part.count};
  }

 private:
  std::int64_t own_end() const { return held_.offset + options_.part.count; }
  std::span<const Deposit> kept() const {
    const std::int64_t impacts = ends_.empty() ? 0 : ends_.back();
    return kept_.span().first(static_cast<std::size_t>(impacts));
  }
  /// The bound on every cell as a multiple of its value; 0 when cells have their own.
  double bound_factor() const { return tracked_ ? 0 : bound_.factor(); }

  /// From here on by all the arithmetic, beginning with the storms so far; the last `unconfirmed`
  /// maxima of those are still to be told.
  void go_direct(std::vector<Maximum>& maxima, std::size_t unconfirmed) {
    fast_.reset();
    direct_.emplace(options_);
    cuda::DeviceArray<ScaledImpact> impacts(static_cast<std::int64_t>(kept().size()));
    cuda::scale_deposits(kept(), held_.first, options_.part.total, impacts.span());
    const std::vector<Maximum> all = direct_->apply(std::as_const(impacts).span(), ends_);
    maxima.insert(maxima.end(), all.end() - static_cast<std::ptrdiff_t>(unconfirmed), all.end());
    evidence_.insert(evidence_.end(), unconfirmed, {true, options_.part.count, 0, why_direct_});
    kept_ = {};
  }

  /// A storm whose deposits are on their way.
  struct SentStorm {
    std::int64_t begin, end;  ///< among the impacts that are kept
    StormExtent extent;
    UncertaintyGrowth growth;
    DepositUncertainty uncertainty;
    double factor;                          ///< of the bound on every cell, see ErrorBound
    std::optional<double> known_to_within;  ///< uncertainties are tracked from here on
  };

  /// Applies storms to the fast layer and screens it after each, as far as anything can be proved;
  /// returns how many.
  std::size_t apply_fast(std::span<const Storm> storms) {
    std::int64_t impacts = ends_.empty() ? 0 : ends_.back();
    for (const Storm& storm : storms) impacts += static_cast<std::int64_t>(storm.impacts.size());
    keep_room(std::min(impacts, ErrorBound::most_impacts));
    screened_.at_least(static_cast<std::int64_t>(storms.size()));

    tracked_ = fast_->tracks_uncertainty();
    constexpr std::size_t few = 1 << 12;
    constexpr std::size_t many = 1 << 15;
    std::size_t applied = 0;
    for (std::size_t sent_storms = 1; sent_storms > 0 && applied < storms.size();) {
      // The device begins early, and is then busy while more is written.
      const std::vector<SentStorm> sent = send(storms.subspan(applied), applied == 0 ? few : many);
      apply_sent(sent, applied);
      sent_storms = sent.size();
      applied += sent_storms;
    }
    return applied;
  }

  /// Sends the deposits of the next storms, several at once until that is `enough`; none when the
  /// next one proves nothing.
  std::vector<SentStorm> send(std::span<const Storm> storms, std::size_t enough) {
    const ProfilingRange range("send impacts");
    std::size_t most = 0;
    std::size_t count = 0;
    while (count < storms.size() && most < enough) most += storms[count++].impacts.size();

    const std::int64_t before = ends_.empty() ? 0 : ends_.back();
    std::int64_t end = before;
    const std::span<Deposit> deposits =
        upload_.fill(std::min(static_cast<std::int64_t>(most), ErrorBound::most_impacts));
    std::vector<SentStorm> sent;
    for (const Storm& storm : storms.first(count)) {
      const auto impacts = static_cast<std::int64_t>(storm.impacts.size());
      SentStorm next{end, end + impacts, {}, {}, {}, 0, {}};
      const double factor_before = bound_.factor();
      bound_.add_storm(impacts, fast_->relative_error());
      if (!bound_.holds()) {
        why_direct_ = roundings_prove_nothing;
        break;
      }
      next.extent = write_deposits(storm.impacts, held_.first, deposits.data() + (end - before));
      if (!next.extent.template every_share_counts<Law>(held_.first, held_.count,
                                                        options_.part.total, smallest_)) {
        why_direct_ = shares_may_not_count;
        break;
      }
      if (!tracked_ &&
          (next.extent.negative || static_cast<double>(next.extent.impacts) >
                                       dense_storm * static_cast<double>(held_.count))) {
        tracked_ = true;
        next.known_to_within = factor_before;
      }
      next.uncertainty = {bound_.of_impact(0), bound_.step_of_impacts()};
      next.growth = bound_.growth();
      next.factor = bound_factor();
      end = next.end;
      ends_.push_back(end);
      extent_.add(next.extent);
      sent.push_back(next);
    }
    upload_.send(kept_.span().subspan(static_cast<std::size_t>(before),
                                      static_cast<std::size_t>(end - before)));
    return sent;
  }

  /// Applies storms that were sent, as many gathered at once as can be; the first is number `place`
  /// of the call.
  void apply_sent(std::span<const SentStorm> sent, std::size_t place) {
    while (!sent.empty()) {
      const ProfilingRange range("fast storms");
      if (sent.front().known_to_within) fast_->track_uncertainty(*sent.front().known_to_within);
      std::vector<cuda::StormDeposits> alike;
      for (const SentStorm& storm : sent) {
        if (!alike.empty() && storm.known_to_within) break;
        alike.push_back({storm.end - storm.begin, storm.extent.lowest - held_.first,
                         storm.extent.highest - held_.first, storm.uncertainty});
      }
      const std::span<const Deposit> deposits = std::as_const(kept_).span();
      const std::size_t gathered =
          fast_->gather(deposits.subspan(static_cast<std::size_t>(sent.front().begin)), alike);
      for (const SentStorm& storm : sent.first(gathered)) {
        Screened* const screened = screened_.span().data() + place;
        fast_->apply(storm.growth, held_.offset, own_end(), screened);
        fast_->screen(storm.factor, held_.offset, own_end(), candidates_.span(),
                      place > 0 ? screened - 1 : nullptr, screened);
        ++place;
      }
      sent = sent.subspan(gathered);
    }
  }

  /// Room on the device for so many impacts; those that are there stay.
  void keep_room(std::int64_t impacts) {
    if (kept_.size() >= impacts) return;
    cuda::DeviceArray<Deposit> larger(impacts);
    cuda::copy_on_device(kept().data(), larger.span().data(),
                         static_cast<std::int64_t>(kept().size_bytes()));
    kept_ = std::move(larger);
    upload_.wait_for_launches();
  }

  /// The maxima after the storms from number `begin` on, as far as they are proved.
  std::vector<Maximum> confirmed(std::size_t begin) {
    const ProfilingRange range("confirm");
    const std::size_t storms = ends_.size() - begin;
    if (storms == 0) return {};
    std::vector<Screened> screened(storms);
    screened_.copy_to(screened);
    std::int64_t used = 0;
    std::size_t provable = 0;
    for (; provable < storms; ++provable) {
      const auto count = static_cast<std::int64_t>(screened[provable].count);
      if (used + count > candidates_.size()) {
        why_direct_ = too_many_candidates;
        break;
      }
      used += count;
    }
    const std::span<const Candidate> candidates =
        candidates_.span().first(static_cast<std::size_t>(used));

    std::vector<double> least;
    for (const Screened& found : screened) least.push_back(found.least);
    std::vector<TileRound> rounds;
    if (used <= few_candidates) rounds = plan(begin, provable, screened, candidates, least);
    if (used > few_candidates || cost(rounds) > few_interactions) {
      // First the highest peaks alone: what these come to by the rule rules most others out.
      std::vector<Candidate> peaks;
      std::vector<Screened> alone(screened);
      for (std::size_t i = 0; i < provable; ++i) {
        const LayerPeak& peak = screened[i].peak;
        alone[i].count = peak.index < 0 ? 0 : 1;
        if (alone[i].count > 0) peaks.push_back({peak.index, peak.value});
      }
      const std::vector<Maximum> first =
          by_the_rule(plan(begin, provable, alone, peaks, std::vector<double>(storms, 0)));
      for (std::size_t i = 0; i < provable; ++i) {
        least[i] = std::max(least[i], first[begin + i].value);
      }
      rounds = plan(begin, provable, screened, candidates, least);
    }
    const double all = static_cast<double>(ends_.back()) * static_cast<double>(held_.count);
    if (cost(rounds) * tile_cost > all + cheap) {
      why_direct_ = too_many_candidates;
      return {};
    }

    const std::vector<Maximum> best = by_the_rule(rounds);
    std::vector<Maximum> maxima;
    for (std::size_t i = 0; i < provable; ++i) {
      const Screened& found = screened[i];
      const Maximum maximum = best[begin + i];
      if (maximum.value < least[i]) {
        why_direct_ = "the fast layer's highest peak is none by the rule";
        break;
      }
      maxima.push_back(maximum);
      evidence_.push_back(
          {false, static_cast<std::int64_t>(found.count),
           found.peak.index < 0 ? 0 : (found.peak.value - found.least) / found.peak.value});
    }
    return maxima;
  }

  /// The tiles for the candidates, storm after storm, that can reach `least`.
  std::vector<TileRound> plan(std::size_t begin, std::size_t storms,
                              std::span<const Screened> screened,
                              std::span<const Candidate> candidates,
                              std::span<const double> least) const {
    std::vector<std::vector<CellRange>> wanted(begin + storms);
    for (std::size_t i = 0; i < storms; ++i) {
      std::vector<CellRange> cells;
      for (const Candidate& candidate : candidates.first(screened[i].count)) {
        const std::int64_t cell = held_.first + candidate.cell;
        if (candidate.upper < least[i]) continue;
        // Neighbours often follow one another, noted by a warp, and then there is less to sort.
        if (!cells.empty() && cells.back().last + 1 == cell) {
          ++cells.back().last;
        } else {
          cells.push_back({cell, cell});
        }
      }
      candidates = candidates.subspan(screened[i].count);
      std::ranges::sort(cells, {}, &CellRange::first);
      wanted[begin + i] = wider(cells, 1, options_.part.total);
    }
    return plan_tiles(std::move(wanted), options_.part.total, tiles_at_once_);
  }

  double cost(std::span<const TileRound> rounds) const {
    std::vector<std::int64_t> impacts;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      impacts.push_back(ends_[i] - (i > 0 ? ends_[i - 1] : 0));
    }
    return interactions(rounds, impacts);
  }

  /// The largest peak in the tiles after each storm.
  std::vector<Maximum> by_the_rule(std::span<const TileRound> rounds) {
    std::int64_t peaks = 0;
    for (const TileRound& round : rounds) {
      peaks += static_cast<std::int64_t>(round.storms * round.tiles.size());
    }
    std::vector<Maximum> maxima(ends_.size());
    if (peaks == 0) return maxima;
    std::int64_t all_tiles = 0;
    for (const TileRound& round : rounds) {
      all_tiles += static_cast<std::int64_t>(round.tiles.size());
    }
    tile_peaks_.at_least(peaks);
    tiles_.at_least(all_tiles);
    std::size_t first_peak = 0;
    std::size_t first_tile = 0;
    for (const TileRound& round : rounds) {
      const auto tiles = tiles_.span().subspan(first_tile, round.tiles.size());
      std::ranges::copy(round.tiles, tiles.begin());
      after_tiles_.at_least(round.values);
      const std::int64_t first = round.first_storm == 0 ? 0 : ends_[round.first_storm - 1];
      std::vector<std::int64_t> ends(
          ends_.begin() + static_cast<std::ptrdiff_t>(round.first_storm),
          ends_.begin() + static_cast<std::ptrdiff_t>(round.first_storm + round.storms));
      for (std::int64_t& end : ends) end -= first;
      const std::size_t count = round.storms * round.tiles.size();
      cuda::apply_to_tiles<Law>({.deposits = kept().subspan(static_cast<std::size_t>(first)),
                                 .origin = held_.first,
                                 .ends = ends,
                                 .layer_cells = options_.part.total,
                                 .farthest = std::max(extent_.highest, options_.part.total - 1) -
                                             std::min<std::int64_t>(extent_.lowest, 0),
                                 .own_begin = options_.part.first,
                                 .own_end = options_.part.first + options_.part.count},
                                tiles, std::as_const(before_tiles_).span(), after_tiles_.span(),
                                tile_peaks_.span().subspan(first_peak, count));
      first_peak += count;
      first_tile += round.tiles.size();
      std::swap(before_tiles_, after_tiles_);
    }
    cuda::synchronize();
    auto next = tile_peaks_.span().begin();
    for (const TileRound& round : rounds) {
      for (std::size_t storm = 0; storm < round.storms; ++storm) {
        for (std::size_t tile = 0; tile < round.tiles.size(); ++tile, ++next) {
          if (next->index < 0) continue;
          Maximum& best = maxima[round.first_storm + storm];
          best = larger(best, {next->index, next->value});
        }
      }
    }
    return maxima;
  }

  EngineOptions options_;
  PartWithMargin held_;
  float smallest_;
  std::int64_t tiles_at_once_ = cuda::tiles_at_once<Law>();
  std::optional<cuda::ConvolvedLayer> fast_;  ///< the cells held; none once it proves nothing
  std::optional<CudaDirect<Law>> direct_;
  ErrorBound bound_;
  const char* why_direct_ = "";
  bool tracked_ = false;  ///< cells have uncertainties after the last storm sent
  cuda::Upload<Deposit> upload_;
  cuda::DeviceArray<Deposit> kept_;  ///< impacts of all storms while the fast layer holds
  std::vector<std::int64_t> ends_;   ///< where each storm ends among them
  StormExtent extent_;               ///< of all of them
  cuda::DeviceArray<Screened> screened_;
  // What the device writes or reads so little of that it does so in the host's memory.
  cuda::PinnedArray<Candidate> candidates_{most_candidates};
  cuda::PinnedArray<CellTile> tiles_;
  cuda::PinnedArray<IndexedValue> tile_peaks_;

  cuda::DeviceArray<float> before_tiles_, after_tiles_;
  std::vector<Evidence> evidence_;
};

std::unique_ptr<Engine> make(const EngineOptions& options) {
  const std::int64_t cells = with_margin(options.part, options.storms).count;
  cuda::require_device_memory(cuda::ConvolvedLayer::bytes(cells, false), "cuda_fast");
  return std::make_unique<CudaFast<SquareRootLaw>>(options);
}

const Registered engine{DeviceEngine{"cuda_fast", make}};

}  // namespace

}  // namespace bombard
