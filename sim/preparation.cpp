#include "sim/preparation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "inputs/errors.hpp"
#include "inputs/storm_text.hpp"
#include "kernels/device.hpp"
#include "kernels/errors.hpp"
#include "kernels/host_memory.hpp"
#include "kernels/profiling_range.hpp"
#include "kernels/timer.hpp"

namespace bombard {

namespace {

// Bounds the layer so that its bytes, whatever an engine keeps a cell, are counted in 64 bits.
constexpr std::int64_t most_cells = std::int64_t{1} << 56;

void check_cells(std::int64_t cells) {
  if (cells < 1) {
    throw InputError(fmt::format("a layer of {} cells is none; it has 1 cell or more", cells));
  }
  if (cells > most_cells) {
    throw CannotRun(fmt::format(
        "a layer of {} cells needs {:.0f} GB, but {:.1f} GB are free; take fewer cells", cells,
        4e-9 * static_cast<double>(cells), 1e-9 * static_cast<double>(available_host_memory())));
  }
}

std::vector<Storm> read_storms(const std::vector<std::string>& paths) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw InputError("- (standard input) is named twice, but can be read only once");
  }
  const ProfilingRange range("read");
  std::vector<Storm> storms;
  storms.reserve(paths.size());
  for (const std::string& path : paths) storms.push_back(read_storm(path));
  return storms;
}

}  // namespace

std::int64_t total_impacts(const std::vector<Storm>& storms) {
  std::int64_t impacts = 0;
  for (const Storm& storm : storms) impacts += static_cast<std::int64_t>(storm.impacts.size());
  return impacts;
}

Preparation prepare(const SimulationOptions& options, const SelectionSink& selected) {
  check_cells(options.cells);
  Preparation prepared;

  const WallTimer reading;
  prepared.storms = read_storms(options.storm_paths);
  prepared.reading_seconds = reading.seconds();

  const auto storms = static_cast<std::int64_t>(prepared.storms.size());
  prepared.selection =
      select_engine(options.request, {options.cells, total_impacts(prepared.storms), storms});
  if (selected) selected(prepared.selection);

  if (prepared.selection.engine->on_device) {
    const WallTimer starting;
    cuda::use_device(prepared.selection.device);
    prepared.start_seconds = starting.seconds();
  }
  prepared.engine_options = {.part = whole_layer(options.cells),
                             .storms = storms,
                             .threshold = options.threshold,
                             .keep_layer = options.keep_layer,
                             .threads = options.threads,
                             .device = prepared.selection.device,
                             .reduction = options.reduction};
  return prepared;
}

}  // namespace bombard
