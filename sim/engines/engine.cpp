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

}  // namespace bombard
