#pragma once

#include <variant>
#include <vector>

#include "sim/engines/engine.hpp"

/// The layer of an engine that stores it, in the precision that it computes in.
inline std::vector<float> layer_of(bombard::Engine& engine) {
  return std::get<std::vector<float>>(engine.layer());
}
inline std::vector<double> layer_in_double_of(bombard::Engine& engine) {
  return std::get<std::vector<double>>(engine.layer());
}
