#include "sim/engines/cuda_direct.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/base/profiling_range.hpp"
#include "kernels/base/registry.hpp"
#include "kernels/layer/hard_energies.hpp"
#include "sim/engines/engines.hpp"
#include "sim/engines/storm_extent.hpp"

namespace bombard {

namespace {

// This number of impacts outlasts a launch (5 us) many times, even on 1e4 cells at 2e12
// interactions per second: the next impacts are scaled and sent meanwhile.
constexpr std::size_t enough_impacts = 8192;
// From this number of impacts on, the quick way repays finding the set of hard energies
// (docs/journal.md, Direct on the GPU).
constexpr std::size_t impacts_for_quick_way = 1000;

/// How many storms make the next batch.
std::size_t batch_of(std::span<const StormView> storms) {
  std::size_t count = 0;
  std::size_t impacts = 0;
  while (count < std::min<std::size_t>(StormBatch::most_storms, storms.size()) &&
         impacts < enough_impacts) {
    impacts += storms[count++].impacts.size();
  }
  return count;
}

}  // namespace

template <class Law>
CudaDirect<Law>::CudaDirect(const EngineOptions& options, const LayerRule<Law>& rule)
    : part_(with_margin(options.part, options.storms)),
      rule_(rule),
      reaches_(rule),
      storms_(options.storms),
      keep_layer_(options.keep_layer) {}

template <class Law>
std::vector<Maximum> CudaDirect<Law>::apply(std::span<const StormView> storms) {
  cuda::DeviceArray<IndexedValue> largest(static_cast<std::int64_t>(storms.size()));
  for (std::size_t begin = 0; begin < storms.size();) {
    const std::size_t count = batch_of(storms.subspan(begin));
    std::array<std::int64_t, StormBatch::most_storms> memory;
    const std::span<std::int64_t> ends(memory.data(), count);
    const Scaled scaled = send(storms.subspan(begin, count), ends);
    apply_batch(scaled, ends, largest.span().subspan(begin, count));
    upload_.release();
    begin += count;
  }
  return fetch(largest);
}

template <class Law>
std::vector<Maximum> CudaDirect<Law>::apply(std::span<const ScaledImpact> impacts,
                                            std::span<const std::int64_t> ends, bool all_count) {
  cuda::DeviceArray<IndexedValue> largest(static_cast<std::int64_t>(ends.size()));
  std::int64_t before = 0;
  for (std::size_t begin = 0; begin < ends.size();) {
    const std::size_t count = std::min<std::size_t>(StormBatch::most_storms, ends.size() - begin);
    std::array<std::int64_t, StormBatch::most_storms> batch_ends;
    for (std::size_t i = 0; i < count; ++i) batch_ends[i] = ends[begin + i] - before;
    const auto size = static_cast<std::size_t>(batch_ends[count - 1]);
    apply_batch({impacts.subspan(static_cast<std::size_t>(before), size), all_count},
                {batch_ends.data(), count}, largest.span().subspan(begin, count));
    before = ends[begin + count - 1];
    begin += count;
  }
  return fetch(largest);
}

template <class Law>
std::vector<Maximum> CudaDirect<Law>::fetch(const cuda::DeviceArray<IndexedValue>& largest) const {
  const ProfilingRange range("maxima to host");
  std::vector<IndexedValue> found(static_cast<std::size_t>(largest.size()));
  largest.copy_to(found);
  std::vector<Maximum> maxima;
  for (const IndexedValue& peak : found) {
    maxima.push_back(peak.index < 0 ? Maximum{}
                                    : Maximum{part_.held.begin + peak.index, peak.value});
  }
  return maxima;
}

template <class Law>
void CudaDirect<Law>::begin_with(const LayerView& held) {
  const auto cells = std::get<std::span<const float>>(held);
  cuda::require_device_memory(static_cast<std::int64_t>(cells.size_bytes()), "the initial layer");
  begin_with(cuda::DeviceArray<float>(cells));
}

template <class Law>
void CudaDirect<Law>::begin_with(cuda::DeviceArray<float> held) {
  before_ = std::move(held);
}

template <class Law>
void CudaDirect<Law>::reset() {
  storms_applied_ = 0;
  before_ = cuda::DeviceArray<float>();
}

template <class Law>
Layer CudaDirect<Law>::layer() const {
  std::vector<float> held(static_cast<std::size_t>(part_.held.count()));  // 0 before any storm
  if (before_.size() > 0) before_.copy_to(held);
  const auto own = slice(std::span(held), part_.own_among_held());
  return std::vector<float>(own.begin(), own.end());
}

template <class Law>
void CudaDirect<Law>::apply_batch(const Scaled& scaled, std::span<const std::int64_t> ends,
                                  std::span<IndexedValue> largest) {
  storms_applied_ += static_cast<std::int64_t>(ends.size());
  const bool layer_needed = keep_layer_ || storms_applied_ < storms_;
  if (layer_needed && after_.size() == 0) {
    const std::int64_t cells = part_.held.count();
    cuda::require_device_memory(cells * static_cast<std::int64_t>(sizeof(float)), "the layer");
    after_ = cuda::DeviceArray<float>(cells);
  }
  const StormBatch batch{.impacts = scaled.impacts,
                         .ends = ends,
                         .all_count = scaled.all_count,
                         .hard_energies = hard_energies(scaled.impacts.size()),
                         .quick_distance = hard_energies_.size() > 0 ? quick_distance() : 0};
  const ProfilingRange range("storm batch");
  cuda::apply_batch(rule_, batch, part_, std::as_const(before_).span(),
                    layer_needed ? after_.span() : std::span<float>(), largest);
  std::swap(before_, after_);
}

/// The longest distance from one end of the held cells to the other, and from the ends of tiles
/// that stick out, as far as distances are exact floats.
template <class Law>
std::int64_t CudaDirect<Law>::quick_distance() const {
  return std::min(part_.held.count() + 2 * StormBatch::widest_tile, largest_exact_distance);
}

/// The set that lets shares go the quick way, once there are impacts enough to repay finding it.
template <class Law>
std::span<const unsigned> CudaDirect<Law>::hard_energies(std::size_t impacts) {
  if constexpr (cuda::has_quick_share<Law>) {
    if (hard_energies_.size() == 0 && impacts >= impacts_for_quick_way) {
      hard_energies_ = cuda::DeviceArray<unsigned>(cuda::significand_words);
      cuda::hard_energies<Law>(quick_distance(), hard_energies_.span());
    }
  }
  return std::as_const(hard_energies_).span();
}

/// Scales the storms' impacts and queues their copy. Impacts without energy change nothing and stay
/// here.
template <class Law>
typename CudaDirect<Law>::Scaled CudaDirect<Law>::send(std::span<const StormView> storms,
                                                       std::span<std::int64_t> ends) {
  const ProfilingRange range("send impacts");
  std::int64_t most = 0;
  for (const StormView& storm : storms) most += static_cast<std::int64_t>(storm.impacts.size());
  const std::span<ScaledImpact> impacts = upload_.fill(most);

  StormExtent extent;
  std::size_t count = 0;
  for (std::size_t i = 0; i < storms.size(); ++i) {
    for (const Impact& impact : storms[i].impacts) {
      if (impact.energy == 0) continue;
      extent.add(impact);
      impacts[count++] = scaled(rule_, impact);
    }
    ends[i] = static_cast<std::int64_t>(count);
  }
  const bool all_count = every_share_counts(rule_, extent, part_.held);
  if (!all_count) add_reaches(storms, impacts);
  return {upload_.send().first(count), all_count};
}

/// Adds the reaches of the impacts that send() has written.
template <class Law>
void CudaDirect<Law>::add_reaches(std::span<const StormView> storms,
                                  std::span<ScaledImpact> impacts) {
  std::size_t next = 0;
  for (const StormView& storm : storms) {
    for (const Impact& impact : storm.impacts) {
      if (impact.energy == 0) continue;
      impacts[next++].reach = reach_of_impact(reaches_.of(impact.energy));
    }
  }
}

template class CudaDirect<SquareRootLaw>;
template class CudaDirect<GeneralLaw>;

namespace {

std::unique_ptr<Engine> make(const EngineOptions& options) {
  return with_law(options.rule, options.part.total,
                  [&]<class Law>(const LayerRule<Law>& rule) -> std::unique_ptr<Engine> {
                    return std::make_unique<CudaDirect<Law>>(options, rule);
                  });
}

void load(const Rule& rule, std::int64_t cells) {
  with_law(rule, cells, []<class Law>(const LayerRule<Law>&) { cuda::load_batch<Law>(); });
}

const Registered engine{DeviceEngine{"cuda_direct", make, load}};

}  // namespace

}  // namespace bombard
