#include "sim/engines/direct/cuda_direct.hpp"

#include <algorithm>
#include <utility>

#include "kernels/base/profiling_range.hpp"
#include "kernels/base/registry.hpp"
#include "kernels/share/reaches.hpp"
#include "sim/engines/engines.hpp"

namespace bombard {

namespace {

// This many impacts keep the device busy for many times a launch (5 us), even on 1e4 cells at 2e12
// interactions per second: the next impacts are scaled and sent meanwhile.
constexpr std::size_t enough_impacts = 8192;

}  // namespace

CudaDirect::CudaDirect(const EngineOptions& options)
    : part_(with_margin(options.part, options.storms)),
      rule_(layer_rule(options.rule, part_.total)),
      storms_(options.storms),
      keep_layer_(options.keep_layer),
      upload_(thread_count(options)) {}

/// How many of the storms make up the next batch.
std::size_t CudaDirect::batch_of(std::span<const StormView> storms) const {
  std::size_t count = 0, impacts = 0;
  while (count < std::min<std::size_t>(StormBatch::most_storms, storms.size()) &&
         impacts < enough_impacts) {
    impacts += storms[count].impacts.size();
    ++count;
  }
  return count;
}

Maximum CudaDirect::apply(const StormView& storm) {
  return apply_storms({&storm, 1}).front();
}

std::vector<Maximum> CudaDirect::apply_storms(std::span<const StormView> storms) {
  cuda::DeviceArray<IndexedValue> largest(static_cast<std::int64_t>(storms.size()));
  for (std::size_t begin = 0; begin < storms.size();) {
    const std::vector<StormView> next =
        upload_.send(storms.subspan(begin, batch_of(storms.subspan(begin))));
    StormView batch{next.front().impacts, {}};
    std::vector<std::int64_t> ends;
    for (const StormView& storm : next) {
      batch.extent = batch.extent + storm.extent;
      ends.push_back((ends.empty() ? 0 : ends.back()) +
                     static_cast<std::int64_t>(storm.impacts.size()));
    }
    batch.impacts = {batch.impacts.data(), static_cast<std::size_t>(ends.back())};
    apply_batch(batch, ends, largest.span().subspan(begin, next.size()));
    upload_.release();
    begin += next.size();
  }
  return fetch(largest);
}

std::vector<Maximum> CudaDirect::fetch(const cuda::DeviceArray<IndexedValue>& largest) const {
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

void CudaDirect::begin_with(const LayerView& held) {
  const auto cells = std::get<std::span<const float>>(held);
  cuda::require_device_memory(static_cast<std::int64_t>(cells.size_bytes()), "the initial layer");
  before_ = cuda::DeviceArray<float>(cells);
}

void CudaDirect::reset() {
  storms_applied_ = 0;
  before_ = cuda::DeviceArray<float>();
}

Layer CudaDirect::layer() const {
  std::vector<float> held(static_cast<std::size_t>(part_.held.count()));  // 0 before any storm
  if (before_.size() > 0) before_.copy_to(held);
  const auto own = slice(std::span(held), part_.own_among_held());
  return std::vector<float>(own.begin(), own.end());
}

void CudaDirect::apply_batch(const StormView& storms, std::span<const std::int64_t> ends,
                             std::span<IndexedValue> largest) {
  storms_applied_ += static_cast<std::int64_t>(ends.size());
  const bool layer_needed = keep_layer_ || storms_applied_ < storms_;
  if (layer_needed && after_.size() == 0) {
    const std::int64_t cells = part_.held.count();
    cuda::require_device_memory(cells * static_cast<std::int64_t>(sizeof(float)), "the layer");
    after_ = cuda::DeviceArray<float>(cells);
  }
  const bool all_count = every_share_counts(rule_, storms.extent, part_.held);
  const ProfilingRange range("storm batch");
  with_law(rule_, [&](const auto& rule) {
    StormBatch batch{storms.impacts, {}, ends};
    if (!all_count) batch.reaches = cuda::find_reaches(rule, storms.impacts, reaches_);
    cuda::apply_batch(rule, batch, part_, std::as_const(before_).span(),
                      layer_needed ? after_.span() : std::span<float>(), largest);
  });
  std::swap(before_, after_);
}

namespace {

std::unique_ptr<Engine> make(const EngineOptions& options) {
  return std::make_unique<CudaDirect>(options);
}

const Registered engine{DeviceEngine{"cuda_direct", make}};

}  // namespace

}  // namespace bombard
