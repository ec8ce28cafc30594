#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bombard/simulation_observer.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard::tools {

/// Cells that are divided into bins of one width; at the end of the layer the last bin may be
/// narrower.
struct BinRun {
  CellRange cells;
  std::int64_t width;
};

/// Runs that divide a layer from left to right: bins of one cell around `centre`, and wider ones
/// farther away, 8 times with each step. With neither a centre nor a need for wide bins there is
/// one run. The widest bins are so wide that `most_bins` of them hold the whole layer; each step
/// adds 520 bins to them.
std::vector<BinRun> plan_bins(std::int64_t cells, std::int64_t most_bins,
                              std::optional<std::int64_t> centre);

/// The bins of all runs.
std::int64_t bin_count(const std::vector<BinRun>& runs);

/// A layer that can be drawn at any zoom.
struct Envelope {
  std::vector<BinRun> runs;
  std::vector<float> lowest, highest;  ///< of the cells of each bin, from left to right
};

/// One pass over the layer, on all cores. A bin that holds a NaN may have any value.
Envelope envelope(const LayerView& layer, std::vector<BinRun> runs);

}  // namespace bombard::tools
