#include "sim/validation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "kernels/host_memory.hpp"
#include "kernels/profiling_range.hpp"
#include "sim/engines.hpp"
#include "sim/preparation.hpp"

namespace bombard {

namespace {

const EngineEntry& reference_entry() {
  const auto entries = engines();
  return *std::find_if(entries.begin(), entries.end(), [](const EngineEntry& entry) {
    return std::string_view(entry.name) == "reference";
  });
}

}  // namespace

bool ValidationResult::agree() const {
  return std::all_of(storms.begin(), storms.end(),
                     [](const StormComparison& storm) { return storm.agree(); });
}

LayerComparison compare_layers(std::span<const float> layer, std::span<const float> reference,
                               std::span<const float> uncertainty) {
  LayerComparison comparison;
  comparison.bit_for_bit = uncertainty.empty();
  for (std::size_t k = 0; k < layer.size(); ++k) {
    const bool same =
        comparison.bit_for_bit
            ? std::bit_cast<std::uint32_t>(layer[k]) == std::bit_cast<std::uint32_t>(reference[k])
            : std::abs(double{layer[k]} - double{reference[k]}) <= double{uncertainty[k]};
    comparison.differing_cells += !same;
  }
  return comparison;
}

std::vector<StormComparison> compare_engines(
    Engine& engine, Engine& reference, std::span<const Storm> storms,
    const std::function<void(std::span<const Storm>)>& storm_done) {
  std::vector<StormComparison> comparisons;
  comparisons.reserve(storms.size());
  for (std::size_t i = 0; i < storms.size(); ++i) {
    const ProfilingRange range("storm");
    const auto storm = storms.subspan(i, 1);
    comparisons.push_back(
        {storm[0].name, static_cast<std::int64_t>(storm[0].impacts.size()),
         engine.apply(storm).at(0), reference.apply(storm).at(0),
         compare_layers(engine.layer(), reference.layer(), engine.layer_uncertainty())});
    if (storm_done) storm_done(storm);
  }
  return comparisons;
}

ValidationResult validate(const SimulationOptions& options, const ProgressSink& progress,
                          const SelectionSink& selected) {
  Preparation prepared = prepare(options, selected);
  prepared.engine_options.keep_layer = true;
  const EngineEntry& entry = *prepared.selection.engine;
  const std::int64_t copies =
      entry.method == Method::fast ? 3 : 2;  // both layers, and a fast one's uncertainty
  require_host_memory(copies * options.cells * static_cast<std::int64_t>(sizeof(float)),
                      "the copies of both layers to compare");

  const EngineEntry& reference_engine = reference_entry();
  const auto storms = static_cast<std::int64_t>(prepared.storms.size());
  const std::int64_t impacts = total_impacts(prepared.storms);
  const std::unique_ptr<Engine> engine = entry.make(prepared.engine_options);
  const std::unique_ptr<Engine> reference = reference_engine.make(prepared.engine_options);
  ProgressMeter meter(prepared.storms, options.cells,
                      estimated_seconds(entry, {options.cells, impacts, storms}) +
                          estimated_seconds(reference_engine, {options.cells, impacts, storms}),
                      progress);
  return {entry.name, prepared.selection.device_name, options.cells,
          compare_engines(*engine, *reference, prepared.storms,
                          [&meter](std::span<const Storm> done) { meter.done(done); })};
}

}  // namespace bombard
