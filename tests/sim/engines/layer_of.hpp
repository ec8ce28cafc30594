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
template <class Number = float, class Engine>
std::vector<Number> layer_of(Engine& engine) {
  return std::get<std::vector<Number>>(engine.layer());
}
