// Many small layers at once on a GPU, for bombard/ensemble.hpp.

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "kernels/base/registry.hpp"
#include "kernels/device/copy_stream.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/storm_runs.hpp"
#include "sim/device_ensemble.hpp"
#include "sim/engines/reaches.hpp"

namespace bombard {

namespace {

/// Impacts are sent in pieces of this number: launches begin with the first ones, and work beside
/// the copies of the next.
constexpr std::int64_t impacts_at_once = std::int64_t{1} << 18;

/// The first run behind `first` whose impacts are sent later.
std::int64_t end_of_piece(const Runs& runs, std::int64_t first) {
  const std::int64_t impacts = runs.storm_starts[runs.run_starts[first]] + impacts_at_once;
  std::int64_t end = first + 1;
  while (end < runs.runs() && runs.storm_starts[runs.run_starts[end + 1]] <= impacts) ++end;
  return end;
}

template <class Law>
std::vector<IndexedValue> peaks_of(const LayerRule<Law>& rule, std::int64_t cells,
                                   const Runs& runs) {
  const cuda::DeviceArray<std::int64_t> storm_starts(runs.storm_starts);
  const cuda::DeviceArray<std::int64_t> run_starts(runs.run_starts);
  cuda::DeviceArray<IndexedValue> maxima(runs.storms());
  cuda::DeviceArray<Impact> deposits(static_cast<std::int64_t>(runs.impacts.size()));
  cuda::CopyStream copies(1);
  copies.used(0);  // the allocation
  copies.after_use_of(0);
  for (std::int64_t first = 0, end; first < runs.runs(); first = end) {
    end = end_of_piece(runs, first);
    const auto begin = static_cast<std::size_t>(runs.storm_starts[runs.run_starts[first]]);
    const auto of_piece = runs.impacts.subspan(
        begin, static_cast<std::size_t>(runs.storm_starts[runs.run_starts[end]]) - begin);
    copies.copy(0, of_piece.data(), deposits.span().subspan(begin).data(),
                static_cast<std::int64_t>(of_piece.size_bytes()));
    copies.before_launches();
    cuda::apply_runs(
        rule,
        {.deposits = deposits.span(),
         .storm_starts = storm_starts.span(),
         .run_starts = run_starts.span().subspan(static_cast<std::size_t>(first),
                                                 static_cast<std::size_t>(end - first + 1)),
         .cells = cells,
         .all_count = every_share_counts(rule, extent_of(of_piece), CellRange{0, cells})},
        maxima.span());
  }
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
      with_law(layer_rule(rule, cells),
               [&](const auto& of_layer) { return peaks_of(of_layer, cells, runs); });
  std::vector<Maximum> maxima(peaks.size());
  std::ranges::transform(peaks, maxima.begin(), [](const IndexedValue& peak) {
    return peak.index < 0 ? Maximum{} : Maximum{peak.index, peak.value};
  });
  return maxima;
}

const Registered ensemble{DeviceEnsemble{StormRuns::most_cells, maxima_of}};

}  // namespace

}  // namespace bombard
