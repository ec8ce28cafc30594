#include "kernels/device/launch.cuh"
#include "kernels/layer/cells_in_registers.cuh"
#include "kernels/layer/storm_runs.hpp"

namespace bombard::cuda {

namespace {

template <class Law>
struct RunParameters {
  LayerRule<Law> rule;
  const Impact* deposits;
  const std::int64_t* storm_starts;
  const std::int64_t* run_starts;
  std::int64_t cells;
  IndexedValue* maxima;
};

/// A block takes a run; a thread holds `cells` consecutive cells of its layer.
template <class Law, int cells, bool all_count>
__global__ void __launch_bounds__(most_threads) runs_kernel(const RunParameters<Law> runs) {
  // By turns: while the first thread looks at those of a storm, others write those of the next.
  __shared__ IndexedValue of_warp[2][most_warps];
  const int thread = static_cast<int>(threadIdx.x);
  const int warps = static_cast<int>(blockDim.x) / 32;
  const std::int64_t first_cell = std::int64_t{thread} * cells;
  // A bit for each cell of the thread: neither the layer's first or last nor beyond it.
  const unsigned interior = cells_between<cells>(1 - first_cell, runs.cells - 1 - first_cell);

  float value[cells] = {};
  const std::int64_t end = runs.run_starts[blockIdx.x + 1];
  for (std::int64_t storm = runs.run_starts[blockIdx.x]; storm < end; ++storm) {
    IndexedValue* const peaks = of_warp[storm % 2];
    add_storm<cells, all_count>(value, runs.rule, runs.deposits, nullptr, runs.storm_starts[storm],
                                runs.storm_starts[storm + 1], 0);
    relax(value, interior);
    find_peak(value, interior, first_cell, peaks[thread / 32]);
    __syncthreads();
    if (thread == 0) {
      IndexedValue highest = peaks[0];
      for (int warp = 1; warp < warps; ++warp) highest = higher(highest, peaks[warp]);
      runs.maxima[storm] = highest;
    }
  }
}

/// The fewest cells for each thread that the layer allows: small layers are done sooner by many
/// threads.
constexpr int few_cells = 4, many_cells = 12;
static_assert(many_cells * most_threads == StormRuns::most_cells);

template <class Law, int cells>
void launch_runs(const RunParameters<Law>& parameters, std::int64_t count, bool all_count) {
  const std::int64_t warps = (parameters.cells + 32 * cells - 1) / (32 * cells);
  launch("storm runs", {count, static_cast<int>(32 * warps)},
         all_count ? runs_kernel<Law, cells, true> : runs_kernel<Law, cells, false>, parameters);
}

}  // namespace

template <class Law>
void apply_runs(const LayerRule<Law>& rule, const StormRuns& runs, std::span<IndexedValue> maxima) {
  const RunParameters<Law> parameters{.rule = rule,
                                      .deposits = runs.deposits.data(),
                                      .storm_starts = runs.storm_starts.data(),
                                      .run_starts = runs.run_starts.data(),
                                      .cells = runs.cells,
                                      .maxima = maxima.data()};
  const auto count = static_cast<std::int64_t>(runs.run_starts.size()) - 1;
  if (runs.cells <= few_cells * most_threads) {
    launch_runs<Law, few_cells>(parameters, count, runs.all_count);
  } else {
    launch_runs<Law, many_cells>(parameters, count, runs.all_count);
  }
}

template void apply_runs(const LayerRule<SquareRootLaw>&, const StormRuns&,
                         std::span<IndexedValue>);
template void apply_runs(const LayerRule<GeneralLaw>&, const StormRuns&, std::span<IndexedValue>);

}  // namespace bombard::cuda
