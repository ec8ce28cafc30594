// The true sums instead of the rule's, on a GPU: the layer in binary64 by exponential sums, and its
// maxima as they are (docs/methods.md, Double precision). Mirrors cpu_double.cpp.

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "kernels/attenuation.hpp"
#include "kernels/convolution.hpp"
#include "kernels/device.hpp"
#include "kernels/device_memory.hpp"
#include "kernels/profiling_range.hpp"
#include "kernels/share_out.hpp"
#include "kernels/upload.hpp"
#include "sim/engines.hpp"
#include "sim/every_share.hpp"
#include "sim/screening.hpp"
#include "sim/storm_extent.hpp"

namespace bombard {

namespace {

// A storm of more impacts goes to the device in pieces: the processor writes one while another is
// on its way, and page-locked memory, slow to get, stays small.
constexpr std::int64_t piece_impacts = std::int64_t{1} << 22;
// A thread takes so many at once.
constexpr std::int64_t block_impacts = std::int64_t{1} << 16;

/// The deposits of storm after storm in device memory.
class StagedStorms {
 public:
  /// Positions are counted from cell `first`.
  StagedStorms(std::int64_t first, int threads) : first_(first), threads_(threads) {}

  /// Sends a storm and says where its impacts lie; launches that follow may use the span until
  /// release().
  std::pair<std::span<const Deposit>, StormExtent> send(const std::vector<Impact>& impacts) {
    const auto count = static_cast<std::int64_t>(impacts.size());
    DeviceDeposits& to = device_[storm_slot_];
    if (count > to.size()) {
      to = DeviceDeposits();
      cuda::require_device_memory(count * static_cast<std::int64_t>(sizeof(Deposit)),
                                  fmt::format("a storm of {} impacts", count));
      to = DeviceDeposits(count);
      copies_.used(storm_slot_);
    }
    StormExtent found;
    int slot = storm_slot_;
    for (std::int64_t begin = 0; begin < count; begin += piece_impacts) {
      const std::int64_t size = std::min(piece_impacts, count - begin);
      copies_.wait(slot);
      if (size > piece_[slot].size()) piece_[slot] = cuda::PinnedArray<Deposit>(size);
      found.add(write(impacts.data() + begin, size, piece_[slot].span().data()));
      copies_.copy(slot, piece_[slot].span().data(), to.span().data() + begin,
                   size * static_cast<std::int64_t>(sizeof(Deposit)));
      slot ^= 1;
    }
    return {std::as_const(to).span().first(impacts.size()), found};
  }

  /// After the launches that use the span.
  void release() {
    copies_.used(storm_slot_);
    storm_slot_ ^= 1;
  }

 private:
  using DeviceDeposits = cuda::DeviceArray<Deposit>;

  StormExtent write(const Impact* impacts, std::int64_t count, Deposit* deposits) const {
    StormExtent found;
    std::mutex adding;
    const std::int64_t blocks = (count + block_impacts - 1) / block_impacts;
    cpu::share_out(blocks, threads_, [&](const auto& each) {
      StormExtent own;
      each([&](std::int64_t block) {
        const std::int64_t begin = block * block_impacts;
        const std::int64_t size = std::min(count - begin, block_impacts);
        own.add(write_deposits({impacts + begin, static_cast<std::size_t>(size)}, first_,
                               deposits + begin));
      });
      const std::scoped_lock lock(adding);
      found.add(own);
    });
    return found;
  }

  std::int64_t first_;
  int threads_;
  cuda::CopyStream copies_;
  cuda::PinnedArray<Deposit> piece_[2];
  DeviceDeposits device_[2];
  int storm_slot_ = 0;  ///< of a storm on the device; its first piece has the same
};

template <class Law>
class CudaDouble final : public Engine {
 public:
  explicit CudaDouble(const EngineOptions& options)
      : part_(options.part),
        held_(with_margin(options.part, options.storms)),
        smallest_(smallest_share(options.threshold, options.part.total)),
        layer_(held_.count, Law::power, 1000.0 / static_cast<double>(part_.total),
               double_precision_error),
        storms_(held_.first, thread_count(options)) {}

  std::vector<Maximum> apply(std::span<const Storm> storms) override {
    if (storms.empty()) return {};
    const auto count = static_cast<std::int64_t>(storms.size());
    if (count > found_.size()) found_ = cuda::DeviceArray<Screened>(count);
    for (std::size_t i = 0; i < storms.size(); ++i) apply(storms[i], found_.span().data() + i);
    std::vector<Screened> found(storms.size());
    found_.copy_to(found);
    std::vector<Maximum> maxima;
    for (const Screened& of_storm : found) {
      const LayerPeak& peak = of_storm.peak;
      maxima.push_back(peak.cell < 0 ? Maximum{} : Maximum{held_.first + peak.cell, peak.value});
    }
    return maxima;
  }

  void reset() override { layer_.clear(); }

  std::vector<double> layer_in_double() const override {
    std::vector<double> values(static_cast<std::size_t>(held_.count));
    layer_.values(values);
    values.erase(values.begin(), values.begin() + held_.offset);
    values.resize(static_cast<std::size_t>(part_.count));
    return values;
  }

  std::vector<float> layer() const override {
    const std::vector<double> values = layer_in_double();
    return {values.begin(), values.end()};
  }

 private:
  void apply(const Storm& storm, Screened* found) {
    const ProfilingRange range("double storm");
    const auto [deposits, extent] = storms_.send(storm.impacts);
    require_every_share<Law>(storm, extent, held_, part_.total, smallest_);
    layer_.apply(deposits, extent.lowest - held_.first, extent.highest - held_.first, {0, 0},
                 {0, 0}, held_.offset, held_.offset + part_.count, found);
    storms_.release();
  }

  Part part_;
  PartWithMargin held_;
  float smallest_;
  cuda::ConvolvedLayer layer_;  ///< of the cells held
  StagedStorms storms_;
  cuda::DeviceArray<Screened> found_;  ///< after each storm of a call
};

}  // namespace

std::unique_ptr<Engine> make_cuda_double(const EngineOptions& options) {
  const std::int64_t cells = with_margin(options.part, options.storms).count;
  cuda::require_device_memory(cuda::ConvolvedLayer::bytes(cells, false), "cuda_double");
  return std::make_unique<CudaDouble<SquareRootLaw>>(options);
}

}  // namespace bombard
