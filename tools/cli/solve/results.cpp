#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tools/cli/solve/problems.hpp"

namespace bombard::tools {

void tell(const SolveRequest& request, const std::string& text) {
  if (!request.quiet) note(text);
}

int verdict(const SolveRequest& request, bool agrees, const std::string& with,
            const std::string& detail) {
  if (!agrees) {
    note(fmt::format("DIFFERS from {}: {}", with, detail));
    return 1;
  }
  tell(request, fmt::format("agrees with {}: {}", with, detail));
  return 0;
}

double rounding_bound(std::int64_t n, int bits) {
  const double nu = std::ldexp(static_cast<double>(n), -bits);
  return nu < 1 ? nu / (1 - nu) : std::numeric_limits<double>::infinity();
}

const char* device_word(bool on_gpu) {
  return on_gpu ? "on the GPU" : "on the CPU";
}

}  // namespace bombard::tools
