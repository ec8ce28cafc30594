#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bombard/simulation_observer.hpp"
#include "bombard/simulation_result.hpp"
#include "tools/cli/reports/report.hpp"
#include "tools/page/envelope.hpp"

namespace bombard::tools {

/// `--report FILE.html`: a run as one page that needs no other file. It shows the layers after the
/// storms, the maxima, and what ran where for how long.
///
/// With more than 50 storms it has the layers of the first and the last 25, and with more than 1000
/// the maxima of the first and the last 500. Its size grows with the layer only by the data for
/// zooming down to single cells.
///
/// The layers are JSON in the page: {"cells": N, "layers": [...]}, with for each one "storm",
/// "position" (null without a maximum), "maximum" (with six decimals), "runs" ([begin, end, width]
/// of bins, see BinRun), and "lowest" and "highest": the binary32 numbers of the bins,
/// little-endian, in base64.
class RunPage {
 public:
  /// Throws CannotRun if the program was built without dygraphs, which draws the layers.
  RunPage(std::int64_t cells, std::int64_t storms);

  /// To be called after each storm.
  void add(const StormResult& storm, const LayerView& layer);

  /// The page, after the last storm.
  std::string text(const SimulationResult& result, const Provenance& from) const;

 private:
  std::int64_t cells_;
  std::int64_t storms_;
  std::int64_t most_bins_;  ///< over the whole of a layer
  std::int64_t added_ = 0;  ///< storms so far
  std::string layers_;      ///< the JSON of those that are shown
};

}  // namespace bombard::tools
