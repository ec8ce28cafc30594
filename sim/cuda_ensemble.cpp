// Many small layers at once on a GPU, for bombard/ensemble.hpp.

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "kernels/base/registry.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/storm_runs.hpp"
#include "sim/device_ensemble.hpp"
#include "sim/engines/storm_extent.hpp"

namespace bombard {

namespace {

// An Impact is sent as it is, and is a Deposit there.
static_assert(std::is_trivially_copyable_v<Impact> && sizeof(Impact) == sizeof(Deposit) &&
              offsetof(Impact, position) == offsetof(Deposit, position) &&
              offsetof(Impact, energy) == offsetof(Deposit, energy));

template <class Law>
std::vector<IndexedValue> peaks_of(const LayerRule<Law>& rule, std::int64_t cells,
                                   const Runs& runs) {
  cuda::DeviceArray<Deposit> deposits(static_cast<std::int64_t>(runs.impacts.size()));
  cuda::copy_to_device(runs.impacts.data(), deposits.span().data(),
                       static_cast<std::int64_t>(runs.impacts.size_bytes()));
  const cuda::DeviceArray<std::int64_t> storm_starts(runs.storm_starts);
  const cuda::DeviceArray<std::int64_t> run_starts(runs.run_starts);
  cuda::DeviceArray<IndexedValue> maxima(runs.storms());
  cuda::apply_runs(
      rule,
      {.deposits = deposits.span(),
       .storm_starts = storm_starts.span(),
       .run_starts = run_starts.span(),
       .cells = cells,
       .all_count = every_share_counts(rule, extent_of(runs.impacts), CellRange{0, cells})},
      maxima.span());
  std::vector<IndexedValue> peaks(static_cast<std::size_t>(runs.storms()));
  maxima.copy_to(peaks);
  return peaks;
}

std::vector<Maximum> maxima_of(std::int64_t cells, const Runs& runs, const Rule& rule) {
  if (runs.storms() == 0) return {};
  const auto bytes = runs.impacts.size_bytes() + runs.storm_starts.size_bytes() +
                     runs.run_starts.size_bytes() + runs.storm_starts.size() * sizeof(IndexedValue);
  cuda::require_device_memory(static_cast<std::int64_t>(bytes), "the ensemble");
  const std::vector<IndexedValue> peaks =
      with_law(rule, cells, [&](const auto& of_layer) { return peaks_of(of_layer, cells, runs); });
  std::vector<Maximum> maxima(peaks.size());
  std::ranges::transform(peaks, maxima.begin(), [](const IndexedValue& peak) {
    return peak.index < 0 ? Maximum{} : Maximum{peak.index, peak.value};
  });
  return maxima;
}

const Registered ensemble{DeviceEnsemble{StormRuns::most_cells, maxima_of}};

}  // namespace

}  // namespace bombard
