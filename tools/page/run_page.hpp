#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bombard/simulation_observer.hpp"
#include "bombard/simulation_result.hpp"
#include "tools/cli/reports/report.hpp"

namespace bombard::tools {

/// `--report FILE.html`: a run as one page that needs no other file. It shows the layers after the
/// storms, the maxima, and what ran where for how long.
///
/// With more than 50 storms it has the layers of the first and the last 25. Its size does not grow
/// with the layer.
///
/// The layers are JSON in the page: {"cells": N, "layers": [...]}, with for each one "storm",
/// "position" (null without a maximum), "maximum" (with six decimals) and "points", each [first
/// cell, lowest value, highest value] of the cells up to the next point; of a single cell there is
/// one value. Points are bins, at most 2000, and the 1000 cells on each side of the maximum. A
/// value that is not finite is null.
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
  std::int64_t added_ = 0;  ///< storms so far
  std::string layers_;      ///< the JSON of those that are shown
};

}  // namespace bombard::tools
