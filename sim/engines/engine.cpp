#include "sim/engines/engine.hpp"

#include <omp.h>

namespace bombard {

Maximum larger(const Maximum& a, const Maximum& b) {
  if (a.value != b.value) return a.value > b.value ? a : b;
  return a.position <= b.position ? a : b;
}

int thread_count(const EngineOptions& options) {
  return options.threads > 0 ? options.threads : omp_get_max_threads();
}

std::vector<double> Engine::layer_in_double() const {
  const std::vector<float> values = layer();
  return {values.begin(), values.end()};
}

}  // namespace bombard
