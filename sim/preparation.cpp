#include "sim/preparation.hpp"

#include <fmt/format.h>

#include "inputs/errors.hpp"
#include "kernels/base/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/timer.hpp"
#include "kernels/device/device.hpp"

namespace bombard {

namespace {

// With this bound 64 bits count the bytes of a layer: an engine keeps less than 2^7 per cell.
constexpr std::int64_t most_cells = std::int64_t{1} << 56;

void check_cells(std::int64_t cells) {
  if (cells < 1) {
    throw InputError(
        fmt::format("a layer of {} cells is not possible; it needs 1 cell or more", cells));
  }
  if (cells > most_cells) {
    throw CannotRun(fmt::format(
        "a layer of {} cells needs {:.0f} GB, but {:.1f} GB are free; take fewer cells", cells,
        4e-9 * static_cast<double>(cells), 1e-9 * static_cast<double>(available_host_memory())));
  }
}

/// In single precision shares are computed by binary32 operations that every device rounds alike.
void check_attenuation(const Attenuation& attenuation, const EngineEntry& engine) {
  if (engine.precision == Precision::binary64 || GeneralLaw::of(attenuation)) return;
  throw InputError(
      fmt::format("--attenuation {} cannot be computed in single precision, as {} does; it is {}",
                  name_of(attenuation), engine.name, attenuations_there_are));
}

}  // namespace

Preparation prepare(const SimulationOptions& options, const SelectionSink& selected) {
  check_cells(options.cells);
  Preparation prepared;
  prepared.storms = std::make_unique<StormStream>(options.storm_paths);
  prepared.workload = {options.cells, prepared.storms->impacts(), prepared.storms->storms()};
  prepared.selection = select_engine(options.request, prepared.workload);
  check_attenuation(options.rule.attenuation, *prepared.selection.engine);
  if (selected) selected(prepared.selection);

  if (prepared.selection.engine->on_device) {
    const WallTimer starting;
    cuda::use_device(prepared.selection.device);
    prepared.start_seconds = starting.seconds();
  }
  prepared.engine_options = {.part = whole_layer(options.cells),
                             .storms = prepared.workload.storms,
                             .rule = options.rule,
                             .keep_layer = options.keep_layer,
                             .threads = options.threads,
                             .device = prepared.selection.device,
                             .reduction = options.reduction};
  return prepared;
}

}  // namespace bombard
