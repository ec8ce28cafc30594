#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bombard/simulation_observer.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard::tools {

/// Cells that bins of one width divide; where the layer ends the last bin may be narrower.
struct BinRun {
  CellRange cells;
  std::int64_t width;
};

/// Runs that divide a layer from left to right: around `centre` bins of one cell, and the further
/// away the wider, 8 times with each step. With neither a centre nor a need for wide bins there is
/// one run. The widest bins are so wide that `most_bins` of them hold the whole layer; each step
/// adds 520 bins to them.
std::vector<BinRun> plan_bins(std::int64_t cells, std::int64_t most_bins,
                              std::optional<std::int64_t> centre);

/// The bins of all runs.
std::int64_t bin_count(const std::vector<BinRun>& runs);

/// A layer as it is drawn at any zoom.
struct Envelope {
  std::vector<BinRun> runs;
  std::vector<float> lowest, highest;  ///< of the cells of each bin, from left to right
};

/// One pass over the layer, by all cores. A bin that holds a NaN may have any value.
Envelope envelope(const LayerView& layer, std::vector<BinRun> runs);

}  // namespace bombard::tools
