#include <algorithm>
#include <cfloat>
#include <cmath>

#include "kernels/attenuation.hpp"
#include "kernels/device.hpp"
#include "kernels/device_memory.hpp"
#include "kernels/hard_energies.hpp"
#include "kernels/profiling_range.hpp"
#include "kernels/storm_batch.hpp"
#include "kernels/upload.hpp"
#include "sim/engines.hpp"

namespace bombard {

namespace {

/// One fused kernel a batch of storms. The next batch's impacts are scaled and sent while the
/// device works; the maxima come back once, at the end.
template <class Law>
class CudaDirect final : public Engine {
 public:
  explicit CudaDirect(const EngineOptions& options)
      : options_(options),
        held_(with_margin(options.part, options.storms)),
        smallest_(smallest_share(options.threshold, options.part.total)) {}

  std::vector<Maximum> apply(std::span<const Storm> storms) override {
    cuda::DeviceArray<IndexedValue> largest(static_cast<std::int64_t>(storms.size()));
    for (std::size_t begin = 0; begin < storms.size();) {
      const std::size_t count = batch_of(storms.subspan(begin));
      apply_batch(storms.subspan(begin, count), largest.span().subspan(begin, count));
      begin += count;
    }
    const ProfilingRange range("maxima to host");
    std::vector<IndexedValue> found(storms.size());
    largest.copy_to(found);
    std::vector<Maximum> maxima;
    for (const IndexedValue& peak : found) {
      maxima.push_back(peak.index < 0 ? Maximum{} : Maximum{held_.first + peak.index, peak.value});
    }
    return maxima;
  }

  void reset() override {
    storms_applied_ = 0;
    before_ = cuda::DeviceArray<float>();
  }

  std::vector<float> layer() const override {
    std::vector<float> cells(static_cast<std::size_t>(held_.count));  // zeros before any storm
    if (before_.size() > 0) before_.copy_to(cells);
    const auto own = cells.begin() + held_.offset;
    return {own, own + options_.part.count};
  }

 private:
  /// How many storms make the next batch. So many impacts outlast a launch many times: what follows
  /// is scaled and sent meanwhile.
  static std::size_t batch_of(std::span<const Storm> storms) {
    constexpr std::size_t enough_impacts = 8192;
    std::size_t count = 0;
    std::size_t impacts = 0;
    while (count < std::min<std::size_t>(StormBatch::most_storms, storms.size()) &&
           impacts < enough_impacts) {
      impacts += storms[count++].impacts.size();
    }
    return count;
  }

  void apply_batch(std::span<const Storm> storms, std::span<IndexedValue> largest) {
    storms_applied_ += static_cast<std::int64_t>(storms.size());
    const bool layer_needed = options_.keep_layer || storms_applied_ < options_.storms;
    if (layer_needed && after_.size() == 0) {
      cuda::require_device_memory(held_.count * static_cast<std::int64_t>(sizeof(float)),
                                  "the layer");
      after_ = cuda::DeviceArray<float>(held_.count);
    }

    std::int64_t ends[StormBatch::most_storms];
    const Scaled scaled = send(storms, ends);
    const StormBatch batch{.impacts = scaled.impacts,
                           .ends = {ends, storms.size()},
                           .smallest = smallest_,
                           .all_count = scaled.all_count,
                           .hard_energies = hard_energies(scaled.impacts.size()),
                           .quick_distance = hard_energies_.size() > 0 ? quick_distance() : 0};
    const Window window{.first = held_.first,
                        .cells = held_.count,
                        .own_begin = held_.offset,
                        .own_end = held_.offset + options_.part.count};
    const ProfilingRange range("storm batch");
    cuda::apply_batch<Law>(batch, window, std::as_const(before_).span(),
                           layer_needed ? after_.span() : std::span<float>(), largest);
    upload_.release();
    std::swap(before_, after_);
  }

  /// From one end of the layer to the other, and some for the tiles that stick out, as far as
  /// floats count.
  std::int64_t quick_distance() const {
    return std::min<std::int64_t>(held_.count + 8192, 1 << 24);
  }

  /// The set that lets shares go the quick way, once there are impacts enough to repay finding it.
  std::span<const unsigned> hard_energies(std::size_t impacts) {
    constexpr std::size_t worth_it = 1000;
    if (hard_energies_.size() == 0 && impacts >= worth_it) {
      hard_energies_ = cuda::DeviceArray<unsigned>(cuda::significand_words);
      cuda::hard_energies<Law>(quick_distance(), hard_energies_.span());
    }
    return std::as_const(hard_energies_).span();
  }

  struct Scaled {
    std::span<const ScaledImpact> impacts;
    bool all_count;  ///< every share counts in every cell
  };

  /// Scales the storms' impacts and queues their copy. Impacts without energy change nothing and
  /// stay here.
  Scaled send(std::span<const Storm> storms, std::int64_t* ends) {
    const ProfilingRange range("send impacts");
    std::int64_t most = 0;
    for (const Storm& storm : storms) most += static_cast<std::int64_t>(storm.impacts.size());
    const std::span<ScaledImpact> impacts = upload_.fill(most);

    // The weakest energy at both of the outermost positions decides for all.
    ScaledImpact leftmost{largest_position, FLT_MAX};
    ScaledImpact rightmost{-largest_position, FLT_MAX};
    std::int64_t count = 0;
    for (const Storm& storm : storms) {
      for (const Impact& impact : storm.impacts) {
        if (impact.energy == 0) continue;
        const float energy = scaled_energy(impact.energy, options_.part.total);
        impacts[static_cast<std::size_t>(count++)] = {impact.position, energy};
        leftmost.position = std::min(leftmost.position, impact.position);
        rightmost.position = std::max(rightmost.position, impact.position);
        leftmost.energy = std::min(leftmost.energy, std::abs(energy));
      }
      *ends++ = count;
    }
    rightmost.energy = leftmost.energy;
    const bool all_count =
        count == 0 || (counts_everywhere<Law>(leftmost, held_.first, held_.count, smallest_) &&
                       counts_everywhere<Law>(rightmost, held_.first, held_.count, smallest_));
    return {upload_.send().first(static_cast<std::size_t>(count)), all_count};
  }

  EngineOptions options_;
  PartWithMargin held_;
  float smallest_;
  std::int64_t storms_applied_ = 0;
  cuda::DeviceArray<float> before_, after_;
  cuda::Upload<ScaledImpact> upload_;
  cuda::DeviceArray<unsigned> hard_energies_;
};

}  // namespace

std::unique_ptr<Engine> make_cuda_direct(const EngineOptions& options) {
  return std::make_unique<CudaDirect<SquareRootLaw>>(options);
}

}  // namespace bombard
