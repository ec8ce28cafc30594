#include "tests/gpu.hpp"
#include "tests/solvers/backend.hpp"

void use_backend(const Backend&) {
  require_gpu();
}

std::vector<Backend> backends() {
  return {{"cuda", true}};
}
