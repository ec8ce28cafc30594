#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/engine.hpp"
#include "sim/progress.hpp"
#include "sim/simulation.hpp"

namespace bombard {

/// How a layer compares with the reference's.
struct LayerComparison {
  std::int64_t differing_cells = 0;  ///< cells that differ in any bit, or by more than is allowed
  bool bit_for_bit = true;           ///< false: differences within an uncertainty were allowed
};

/// After one storm: both answers, and both layers compared.
struct StormComparison {
  std::string file;
  std::int64_t impacts;
  Maximum answer, reference;
  LayerComparison layer;

  bool maxima_agree() const { return answer == reference; }
  bool agree() const { return maxima_agree() && layer.differing_cells == 0; }
};

struct ValidationResult {
  std::string engine;
  std::string device;  ///< the name of the GPU or of the processor
  std::int64_t cells;
  std::vector<StormComparison> storms;

  bool agree() const;
};

/// Compares two layers of the same length, bit for bit, or cell by cell with the differences that
/// `uncertainty` allows unless it is empty.
LayerComparison compare_layers(std::span<const float> layer, std::span<const float> reference,
                               std::span<const float> uncertainty = {});

/// Applies the storms one by one to both engines, which keep their layers, and compares after each.
std::vector<StormComparison> compare_engines(
    Engine& engine, Engine& reference, std::span<const Storm> storms,
    const std::function<void(std::span<const Storm>)>& storm_done = {});

/// Runs the engine that the options ask for beside the reference, from storm files.
/// Throws as simulate() does.
ValidationResult validate(const SimulationOptions& options, const ProgressSink& progress = {},
                          const SelectionSink& selected = {});

}  // namespace bombard
