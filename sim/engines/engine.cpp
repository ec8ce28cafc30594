#include "sim/engines/engine.hpp"

#include <omp.h>

#include <algorithm>

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

PartWithMargin with_margin(const Part& part, std::int64_t storms) {
  const std::int64_t margin = std::min(storms, part.total) + 1;
  const std::int64_t first = std::max<std::int64_t>(0, part.first - margin);
  const std::int64_t end = std::min(part.total, part.first + part.count + margin);
  return {first, end - first, part.first - first};
}

}  // namespace bombard
