#include "tests/solvers/backend.hpp"

void use_backend(const Backend&) {}

std::vector<Backend> backends() {
  return {{"cpu", false}};
}
