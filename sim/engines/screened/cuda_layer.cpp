#include "sim/engines/screened/cuda_layer.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/base/profiling_range.hpp"
#include "kernels/convolution/candidates.hpp"
#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/screened/error_bound.hpp"

namespace bombard {

namespace {

/// What the device leaves of a storm.
struct FindingsMailbox {
  Screened screened;
  Candidate candidates[most_candidates_on_gpu];

  static constexpr std::int64_t bytes_with(std::size_t candidates) {
    return static_cast<std::int64_t>(offsetof(FindingsMailbox, candidates) +
                                     candidates * sizeof(Candidate));
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
  std::optional<std::vector<std::int64_t>> candidates(double least, double most,
                                                      std::size_t limit) const override {
    if (least < screened_.least || screened_.count > candidates_.size()) return std::nullopt;
    std::vector<std::int64_t> cells;
    for (const auto& [cell, upper] : candidates_) {
      if (upper >= least && upper < most) cells.push_back(part_.held.begin + cell);
    }
    if (cells.size() > limit) return std::nullopt;
    std::ranges::sort(cells);
    return cells;
  }

 private:
  Part part_;
  Screened screened_;
  std::span<const Candidate> candidates_;
};

class CudaLayer final : public ScreenedLayer {
 public:
  CudaLayer(const EngineOptions& options, const DeviceStorms& storms)
      : rule_(options.rule),
        part_(with_margin(options.part, options.storms)),
        storms_(storms),
        layer_(part_.held.count(), part_.own_among_held(), rule_.attenuation,
               rule_.scale_in_double(part_.total), fast_error),
        found_(1),
        here_(std::make_unique_for_overwrite<FindingsMailbox>()) {
    clear();
  }

  void clear() override {
    layer_.clear();
    bound_.emplace(part_);
    findings_.reset();
  }

  const char* add(const StormView& storm) override {
    const ProfilingRange range("screened storm");
    if (!every_share_counts(layer_rule(rule_, part_.total), storm.extent, part_.held)) {
      return not_every_share_counts;
    }
    if (const char* const why = bound_->add_storm(storm, layer_.relative_error())) return why;
    if (const std::optional<double> factor_before = bound_->tracked_from()) {
      layer_.track_uncertainty(*factor_before);
    }
    FindingsMailbox* const there = found_.span().data();
    layer_.apply({.impacts = storms_.last(),
                  .lowest = storm.extent.lowest,
                  .highest = storm.extent.highest,
                  .uncertainty = bound_->of_last_storm(),
                  .origin = part_.held.begin},
                 &there->screened);
    layer_.screen(bound_->factor(), bound_->absolute(), there->candidates);
    fetch_findings();
    return nullptr;
  }

  const Screening& screening() const override { return *findings_; }

 private:
  /// Waits for the device.
  void fetch_findings() {
    const FindingsMailbox* const there = found_.span().data();
    cuda::copy_to_host(there, here_.get(), FindingsMailbox::bytes_with(candidates_at_once));
    const auto count = std::min<std::size_t>(here_->screened.count, most_candidates_on_gpu);
    if (count > candidates_at_once) {
      cuda::copy_to_host(there, here_.get(), FindingsMailbox::bytes_with(count));
    }
    findings_.emplace(part_, here_->screened, std::span(here_->candidates).first(count));
  }

  Rule rule_;
  Part part_;
  const DeviceStorms& storms_;
  cuda::ConvolvedLayer layer_;  ///< of the cells held
  std::optional<ErrorBound> bound_;
  // Of the last storm.
  cuda::DeviceArray<FindingsMailbox> found_;
  std::unique_ptr<FindingsMailbox> here_;
  std::optional<Findings> findings_;
};

}  // namespace

std::unique_ptr<ScreenedLayer> make_cuda_layer(const EngineOptions& options,
                                               const DeviceStorms& storms) {
  return std::make_unique<CudaLayer>(options, storms);
}

}  // namespace bombard
