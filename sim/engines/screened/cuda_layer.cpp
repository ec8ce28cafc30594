// A screened layer that a GPU stores.

#include "sim/engines/screened/cuda_layer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/base/profiling_range.hpp"
#include "kernels/convolution/candidates.hpp"
#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/engines/screened/error_bound.hpp"
#include "sim/engines/storm_upload.hpp"
#include "sim/ranks/slab_neighbours.hpp"

namespace bombard {

namespace {

// Storms between two looks at what the device has found: each look makes it wait for 20 us. In
// double precision nothing is to be confirmed.
constexpr std::size_t storms_of_a_look = 8, storms_of_a_look_in_double = 64;

/// What the device leaves of these storms; the candidates only in single precision.
struct Found {
  Screened storms[storms_of_a_look_in_double];
  Candidate candidates[most_candidates_on_gpu];  ///< one storm's after another's

  static constexpr std::int64_t bytes_with(std::size_t candidates) {
    return static_cast<std::int64_t>(offsetof(Found, candidates) + candidates * sizeof(Candidate));
  }
};
// This many come along at once, 8 KB, because a second copy takes longer.
constexpr std::size_t candidates_at_once = 512;

/// Findings of a storm: cells are counted from the first one held.
class Findings final : public Screening {
 public:
  Findings(const Part& part, const Screened& screened, std::span<const Candidate> candidates)
      : part_(part), screened_(screened), candidates_(candidates) {}

  /// The least that the layer's highest peak can be.
  double lower(std::int64_t) const override { return screened_.least; }
  double relative_bound(std::int64_t) const override {
    if (screened_.peak.index < 0) return 0;
    return (screened_.peak.value - screened_.least) / screened_.peak.value;
  }
  std::vector<CellValue> best_peaks(std::size_t) const override {
    if (screened_.peak.index < 0) return {};
    return {{part_.held.begin + screened_.peak.index, screened_.peak.value}};
  }
  /// None lower than those that the device has looked for.
  std::optional<Candidates> candidates(double least, double most,
                                       std::size_t limit) const override {
    if (least < screened_.least || screened_.count > candidates_.size()) return std::nullopt;
    std::vector<std::int64_t> cells;
    for (const auto& [cell, upper] : candidates_) {
      if (upper >= least && upper < most) cells.push_back(part_.held.begin + cell);
    }
    if (cells.size() > limit) return std::nullopt;
    std::ranges::sort(cells);
    return Candidates{std::move(cells)};
  }

 private:
  Part part_;
  Screened screened_;
  std::span<const Candidate> candidates_;
};

class CudaLayer final : public ScreenedLayer {
 public:
  CudaLayer(const EngineOptions& options, std::shared_ptr<DeviceStorms> pending)
      : ScreenedLayer(options, with_margin(options.part, options.storms),
                      pending ? Precision::binary32 : Precision::binary64),
        pending_(std::move(pending)) {
    begin_with({});
  }

  void begin_with(const LayerView& held) override {
    if (!layer_) {
      layer_.emplace(Slab{part_.held.begin, part_.held.count(), part_.total},
                     part_.own_among_held(), options_.rule.attenuation,
                     options_.rule.scale_in_double(part_.total), relative_error());
    }
    begin(*layer_, held);
    forget_findings();
  }

  void release() override { layer_.reset(); }

  double cost_of_beginning() const override { return cost_of_beginning_on_gpu(cells()); }
  /// Infinite if not every share counts: it does not take the storm.
  double cost(const StormView& storm) const override {
    if (pending_ && !every_share_counts(rule_, storm.extent, part_.held)) {
      return std::numeric_limits<double>::infinity();
    }
    return cost_of_screened_storm_on_gpu(cells(), static_cast<double>(storm.impacts.size()));
  }

  const char* add(const StormView& storm) override {
    if (!findings_.empty() || added_ == searched_together()) forget_findings();
    found_.at_least(1);
    if (!pending_) {
      add_in_double(storm);
    } else if (const char* const why = add_in_single(storm)) {
      return why;
    }
    ++added_;
    return nullptr;
  }

  std::size_t searched_together() const override {
    return pending_ ? storms_of_a_look : storms_of_a_look_in_double;
  }
  /// Waits for the device.
  const Screening& screening(std::size_t ago) const override {
    if (findings_.empty()) {
      const Found* const there = found_.span().data();
      if (!here_) here_ = std::make_unique_for_overwrite<Found>();
      const std::size_t at_once = pending_ ? candidates_at_once : 0;
      cuda::copy_to_host(there, here_.get(), Found::bytes_with(at_once));
      const auto storms = std::span(here_->storms).first(added_);
      const auto end_of = [&](const Screened& storm) {
        return std::min<std::size_t>(pending_ ? storm.place + storm.count : 0,
                                     most_candidates_on_gpu);
      };
      if (end_of(storms.back()) > at_once) {
        cuda::copy_to_host(there, here_.get(), Found::bytes_with(end_of(storms.back())));
      }
      std::size_t begin = 0;
      for (const Screened& storm : storms) {
        const std::size_t end = end_of(storm);
        findings_.emplace_back(part_, storm,
                               std::span(here_->candidates).subspan(begin, end - begin));
        begin = end;
      }
    }
    return findings_[added_ - 1 - ago];
  }

  std::vector<double> values() const override {
    std::vector<double> held(static_cast<std::size_t>(part_.held.count()));
    layer_->values(held);
    return own_of(held);
  }

  std::vector<float> uncertainties() const override {
    std::vector<double> values(static_cast<std::size_t>(part_.held.count()));
    layer_->values(values);
    std::vector<float> uncertainties(values.size());
    if (layer_->tracks_uncertainty()) layer_->uncertainties(uncertainties);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double bound =
          uncertainties[i] + bound_->factor() * std::fabs(values[i]) + bound_->absolute();
      uncertainties[i] = uncertainty_once_rounded(values[i], bound);
    }
    return own_of(uncertainties);
  }

  double value(std::int64_t) override { throw std::logic_error("the layer is stored"); }

 private:
  template <class Value>
  std::vector<Value> own_of(const std::vector<Value>& held) const {
    const auto own = slice(std::span(held), part_.own_among_held());
    return {own.begin(), own.end()};
  }

  void forget_findings() {
    findings_.clear();
    added_ = 0;
  }

  /// What will be found in the next storm.
  Screened* findings_there() { return found_.span().data()->storms + added_; }

  const char* add_in_single(const StormView& storm) {
    const ProfilingRange range("screened storm");
    if (!every_share_counts(rule_, storm.extent, part_.held)) return not_every_share_counts;
    work_ += cost(storm);
    if (!is_worth_(work_)) return costs_no_more;
    if (!bound_->add_storm(storm, layer_->relative_error())) return bound_->why_none();
    if (const std::optional<double> factor_before = bound_->tracked_from()) {
      layer_->track_uncertainty(*factor_before);
    }
    layer_->apply({.impacts = pending_->add(storm),
                   .lowest = storm.extent.lowest,
                   .highest = storm.extent.highest,
                   .uncertainty = bound_->of_last_storm()},
                  findings_there());
    layer_->screen(bound_->factor(), found_.span().data()->candidates,
                   added_ == 0 ? nullptr : findings_there() - 1, bound_->absolute());
    return nullptr;
  }

  void add_in_double(const StormView& storm) {
    const ProfilingRange range("double storm");
    if (!upload_) upload_.emplace(thread_count(options_));
    const StormView sent = upload_->send({&storm, 1}).front();
    Screened* const found = findings_there();
    SlabNeighbours* const neighbours = options_.neighbours;
    const StormExtent& extent = sent.extent;
    if (neighbours != nullptr && extent.lowest <= extent.highest) {
      layer_->cover(extent.lowest, extent.highest);
    }
    const cuda::StormImpacts impacts{.impacts = sent.impacts,
                                     .lowest = extent.lowest,
                                     .highest = extent.highest,
                                     .states_come_in = neighbours != nullptr};
    layer_->gather(impacts);
    layer_->apply_gathered(found,
                           neighbours == nullptr ? ComingIn{} : neighbours->exchanged(*layer_));
    upload_->release();
  }

  std::shared_ptr<DeviceStorms> pending_;      ///< null in double precision
  std::optional<cuda::ConvolvedLayer> layer_;  ///< the cells held; none once released
  // Of the storms that were added last.
  std::size_t added_ = 0;
  cuda::DeviceArray<Found> found_;
  mutable std::unique_ptr<Found> here_;
  mutable std::vector<Findings> findings_;  ///< once asked for
  std::optional<StormUpload> upload_;       ///< in double precision
};

}  // namespace

std::unique_ptr<ScreenedLayer> make_cuda_layer(const EngineOptions& options,
                                               std::shared_ptr<DeviceStorms> pending) {
  return std::make_unique<CudaLayer>(options, std::move(pending));
}

}  // namespace bombard
