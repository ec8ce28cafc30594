// The true sums instead of the rule's, on a GPU: the layer in binary64 by exponential sums, and its
// maxima as they are (docs/methods.md, Double precision). Mirrors cpu_double.cpp.

#include <vector>

#include "kernels/base/profiling_range.hpp"
#include "kernels/base/registry.hpp"
#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/reaches.hpp"
#include "sim/engines/double_precision.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/neighbours.hpp"
#include "sim/engines/storm_upload.hpp"

namespace bombard {

namespace {

class CudaDouble final : public DenseEngine {
 public:
  explicit CudaDouble(const EngineOptions& options)
      : part_(with_margin(options.part, options.storms)),
        rule_(options.rule),
        counting_(counting_rule(rule_, part_.total)),
        neighbours_(options.neighbours),
        layer_(slab_of(part_, neighbours_), part_.own_among_held(), rule_.attenuation,
               rule_.scale_in_double(part_.total), double_precision_error),
        storms_(part_.held, thread_count(options)) {}

  std::vector<Maximum> apply(std::span<const StormView> storms) override {
    if (storms.empty()) return {};
    const auto count = static_cast<std::int64_t>(storms.size());
    found_.at_least(count);
    std::vector<double> absolute_errors;
    for (std::size_t i = 0; i < storms.size(); ++i) {
      apply(storms[i], found_.span().data() + i);
      absolute_errors.push_back(absolute_error_);
    }
    std::vector<Screened> found(storms.size());
    found_.copy_to(found);
    std::vector<Maximum> maxima;
    for (std::size_t i = 0; i < storms.size(); ++i) {
      const LayerPeak& peak = found[i].peak;
      const bool any = peak.index >= 0 && peak.value > absolute_errors[i];
      maxima.push_back(any ? Maximum{part_.held.begin + peak.index, peak.value} : Maximum{});
    }
    return maxima;
  }

  void begin_with(const LayerView& held) override {
    layer_.begin_with(std::get<std::span<const double>>(held));
  }

  void reset() override {
    layer_.clear();
    absolute_error_ = 0;
  }

  Layer layer() const override {
    std::vector<double> values(static_cast<std::size_t>(part_.held.count()));
    layer_.values(values);
    const auto own = slice(std::span(values), part_.own_among_held());
    return std::vector<double>(own.begin(), own.end());
  }

 private:
  void apply(const StormView& storm, Screened* found) {
    const ProfilingRange range("double storm");
    UploadedStorm sent;
    const bool by_cell = send(storm, sent);
    const StormExtent& whole = neighbours_ == nullptr ? sent.extent : neighbours_->storm();
    cuda::StormDeposits deposits{.deposits = sent.deposits,
                                 .lowest = whole.lowest - part_.held.begin,
                                 .highest = whole.highest - part_.held.begin};
    if (!every_share_counts(counting_, whole, {0, part_.total})) {
      deposits.reaches = find_reaches(sent.deposits);
      absolute_error_ +=
          error_beyond_reaches(rule_, part_.total, whole.impacts, layer_.cut_error());
    }
    if (neighbours_ != nullptr && whole.impacts > 0) layer_.cover(whole.lowest, whole.highest);
    deposits.states_come_in = neighbours_ != nullptr && deposits.reaches.empty();
    apply_gathered(
        by_cell ? layer_.gather({sent.cell_deposits, deposits}) : layer_.gather({&deposits, 1}),
        deposits.states_come_in, found);
    storms_.release();
  }

  /// By cell, where that is sooner done, or deposit by deposit; says whether by cell. What is sent
  /// by cell has no reaches, and its extent is that of the weakest energy there is.
  bool send(const StormView& storm, UploadedStorm& sent) {
    const bool by_cell = reach(counting_, 1) >= part_.total &&
                         layer_.prefers_by_cell(static_cast<std::int64_t>(storm.impacts.size()));
    if (by_cell) {
      sent = storms_.send_by_cell(storm.impacts);
      const StormExtent& whole = neighbours_ == nullptr ? sent.extent : neighbours_->storm();
      if (every_share_counts(counting_, whole, {0, part_.total})) return true;
      storms_.release();
    }
    sent = storms_.send(storm.impacts);
    return false;
  }

  void apply_gathered(cuda::GatheredStorms gathered, bool states_come_in, Screened* found) {
    if (states_come_in) {
      gathered.come_in(exchanged(*neighbours_, layer_, gathered));
    } else if (neighbours_ != nullptr) {
      neighbours_->exchange_nothing();
    }
    gathered.apply(found);
  }

  std::span<const std::int64_t> find_reaches(std::span<const Impact> deposits) {
    reaches_.at_least(static_cast<std::int64_t>(deposits.size()));
    const std::span<std::int64_t> reaches = reaches_.span().first(deposits.size());
    std::visit([&](const auto& rule) { cuda::find_reaches(rule, deposits, reaches); }, counting_);
    return reaches;
  }

  Part part_;
  Rule rule_;
  CountingRule counting_;
  Neighbours* neighbours_;
  cuda::ConvolvedLayer layer_;  ///< of the cells held
  StormUpload storms_;
  cuda::DeviceArray<std::int64_t> reaches_;  ///< of the last storm's deposits
  cuda::DeviceArray<Screened> found_;        ///< after each storm of a call
  double absolute_error_ = 0;                ///< as CpuDouble's
};

std::unique_ptr<Engine> make(const EngineOptions& options) {
  const std::int64_t cells = with_margin(options.part, options.storms).held.count();
  cuda::require_device_memory(cuda::ConvolvedLayer::bytes(cells, false), "cuda_double");
  return std::make_unique<CudaDouble>(options);
}

void load(const Rule&, std::int64_t) {
  cuda::ConvolvedLayer::load();
}

const Registered engine{DeviceEngine{"cuda_double", make, load}};

}  // namespace

}  // namespace bombard
