#pragma once

#include <span>
#include <variant>
#include <vector>

#include "sim/engines/engine.hpp"

/// The maxima that an engine finds after each of these storms.
template <class Engine>
std::vector<bombard::Maximum> maxima_of(Engine& engine, std::span<const bombard::Storm> storms) {
  std::vector<bombard::Maximum> maxima;
  for (const bombard::Storm& storm : storms) maxima.push_back(engine.apply({storm.impacts}));
  return maxima;
}

/// The layer of an engine that stores it, in the precision that it computes in.
template <class Engine>
std::vector<float> layer_of(Engine& engine) {
  return std::get<std::vector<float>>(engine.layer());
}
template <class Engine>
std::vector<double> layer_in_double_of(Engine& engine) {
  return std::get<std::vector<double>>(engine.layer());
}
