#include "sim/engines/engine.hpp"

#include <omp.h>

#include <stdexcept>

namespace bombard {

Maximum larger(const Maximum& a, const Maximum& b) {
  if (a.value != b.value) return a.value > b.value ? a : b;
  return a.position <= b.position ? a : b;
}

int thread_count(const EngineOptions& options) {
  return options.threads > 0 ? options.threads : omp_get_max_threads();
}

void Engine::begin_with(std::span<const float>) {
  throw std::logic_error("this engine takes no layer in binary32");
}

void Engine::begin_with_double(std::span<const double>) {
  throw std::logic_error("this engine takes no layer in binary64");
}

std::vector<double> Engine::layer_in_double() const {
  const std::vector<float> values = layer();
  return {values.begin(), values.end()};
}

}  // namespace bombard
