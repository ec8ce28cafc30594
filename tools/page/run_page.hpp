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
/// "position" (null without a maximum), "maximum" (with six decimals), "lowest" and "highest" of at
/// most 2000 bins of "width" cells, and the values of "cells" from cell "first" on, 1000 on each
/// side of the maximum; none if the bins are single cells. A value that is not finite is null.
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
