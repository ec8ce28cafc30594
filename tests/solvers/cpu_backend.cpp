#include "tests/solvers/backend.hpp"

bool on_gpu() {
  return false;
}
