#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/cli/solve/problems.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

template <class T>
void write_result(SolveRequest& request, std::span<const T> elements,
                  const std::vector<std::int64_t>& shape) {
  if (request.output) {
    write_array(elements, shape, array_format(request.output->path()), *request.output);
    request.output->commit();
  } else {
    print(text_of(elements, shape.size() == 1 ? 1 : shape[1]));
  }
}
template void write_result(SolveRequest&, std::span<const std::int32_t>,
                           const std::vector<std::int64_t>&);
template void write_result(SolveRequest&, std::span<const float>, const std::vector<std::int64_t>&);
template void write_result(SolveRequest&, std::span<const double>,
                           const std::vector<std::int64_t>&);

void require_kernel(const SolveRequest& request, const std::vector<std::string>& kernels,
                    const std::string& does) {
  if (request.kernel.empty() || std::ranges::count(kernels, request.kernel) > 0) return;
  throw InputError(fmt::format("--kernel \"{}\" does not {}; there are {}", request.kernel, does,
                               fmt::join(kernels, ", ")));
}

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
  return on_gpu ? "on the GPU" : "on the processor";
}

}  // namespace bombard::tools
