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

/// A storm in device memory. Launches that follow may use the spans until release().
struct StagedStorm {
  std::span<const Deposit> deposits;
  /// Of a storm sent in halves: those that fall on cells; then `deposits` are the others.
  std::span<const CellDeposit> cell_deposits;
  StormExtent extent;
};

/// The deposits of storm after storm in device memory.
class StagedStorms {
 public:
  /// Positions are counted from the first of these cells.
  StagedStorms(const PartWithMargin& cells, int threads)
      : first_(cells.first), cells_(cells.count), threads_(threads) {}

  StagedStorm send(const std::vector<Impact>& impacts) {
    StagedStorm staged;
    const auto write = [&](std::int64_t begin, std::int64_t size, Deposit* deposits) {
      for_each_block(size, [&](std::int64_t from, std::int64_t count) {
        const StormExtent found =
            write_deposits({impacts.data() + begin + from, static_cast<std::size_t>(count)}, first_,
                           deposits + from);
        const std::scoped_lock lock(adding_);
        staged.extent.add(found);
      });
    };
    staged.deposits = in_pieces(deposits_, static_cast<std::int64_t>(impacts.size()), write);
    return staged;
  }

  /// In half the memory, but for those impacts that fall on none of the cells, of which there are
  /// fewer than 2^32.
  StagedStorm send_by_cell(const std::vector<Impact>& impacts) {
    StagedStorm staged;
    std::vector<Deposit> others;
    const auto write = [&](std::int64_t begin, std::int64_t size, CellDeposit* deposits) {
      std::vector<std::vector<Deposit>> others_of_block(
          static_cast<std::size_t>((size + block_impacts - 1) / block_impacts));
      for_each_block(size, [&](std::int64_t from, std::int64_t count) {
        const StormExtent found = write_cell_deposits(
            {impacts.data() + begin + from, static_cast<std::size_t>(count)}, first_, cells_,
            deposits + from, others_of_block[static_cast<std::size_t>(from / block_impacts)]);
        const std::scoped_lock lock(adding_);
        staged.extent.add(found);
      });
      for (const std::vector<Deposit>& of_block : others_of_block) {
        others.insert(others.end(), of_block.begin(), of_block.end());
      }
    };
    staged.cell_deposits =
        in_pieces(cell_deposits_, static_cast<std::int64_t>(impacts.size()), write);
    staged.deposits = in_pieces(deposits_, static_cast<std::int64_t>(others.size()),
                                [&](std::int64_t begin, std::int64_t size, Deposit* deposits) {
                                  std::copy_n(others.data() + begin, size, deposits);
                                });
    return staged;
  }

  /// After the launches that use the spans.
  void release() {
    copies_.used(storm_slot_);
    storm_slot_ ^= 1;
  }

 private:
  template <class Element>
  struct Buffers {
    cuda::PinnedArray<Element> piece[2];
    cuda::DeviceArray<Element> device[2];  ///< one a storm
  };

  /// Sends `count` elements, which write(begin, size, to) makes piece by piece.
  template <class Element, class Write>
  std::span<const Element> in_pieces(Buffers<Element>& buffers, std::int64_t count,
                                     const Write& write) {
    cuda::DeviceArray<Element>& to = buffers.device[storm_slot_];
    if (count > to.size()) {
      to = cuda::DeviceArray<Element>();
      cuda::require_device_memory(count * static_cast<std::int64_t>(sizeof(Element)),
                                  fmt::format("a storm of {} impacts", count));
      to = cuda::DeviceArray<Element>(count);
      copies_.used(storm_slot_);
    }
    int slot = storm_slot_;
    for (std::int64_t begin = 0; begin < count; begin += piece_impacts) {
      const std::int64_t size = std::min(piece_impacts, count - begin);
      copies_.wait(slot);
      cuda::PinnedArray<Element>& piece = buffers.piece[slot];
      if (size > piece.size()) piece = cuda::PinnedArray<Element>(size);
      write(begin, size, piece.span().data());
      copies_.copy(slot, piece.span().data(), to.span().data() + begin,
                   size * static_cast<std::int64_t>(sizeof(Element)));
      slot ^= 1;
    }
    return std::as_const(to).span().first(static_cast<std::size_t>(count));
  }

  /// Calls use(begin, size) for the blocks of a piece, by all threads.
  template <class Use>
  void for_each_block(std::int64_t impacts, const Use& use) const {
    const std::int64_t blocks = (impacts + block_impacts - 1) / block_impacts;
    cpu::share_out(blocks, threads_, [&](const auto& each) {
      each([&](std::int64_t block) {
        const std::int64_t begin = block * block_impacts;
        use(begin, std::min(impacts - begin, block_impacts));
      });
    });
  }

  std::int64_t first_, cells_;
  int threads_;
  std::mutex adding_;
  cuda::CopyStream copies_;
  Buffers<Deposit> deposits_;
  Buffers<CellDeposit> cell_deposits_;
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
        storms_(held_, thread_count(options)) {}

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
    const bool by_cell =
        layer_.prefers_cell_deposits(static_cast<std::int64_t>(storm.impacts.size()));
    const StagedStorm staged =
        by_cell ? storms_.send_by_cell(storm.impacts) : storms_.send(storm.impacts);
    require_every_share<Law>(storm, staged.extent, held_, part_.total, smallest_);
    const std::int64_t lowest = staged.extent.lowest - held_.first;
    const std::int64_t highest = staged.extent.highest - held_.first;
    const std::int64_t own_end = held_.offset + part_.count;
    if (by_cell) {
      layer_.apply(staged.cell_deposits, staged.deposits, lowest, highest, held_.offset, own_end,
                   found);
    } else {
      layer_.apply(staged.deposits, lowest, highest, {0, 0}, {0, 0}, held_.offset, own_end, found);
    }
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
