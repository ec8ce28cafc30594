#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>

#include "bombard/solve.hpp"
#include "inputs/mapped_file.hpp"
#include "inputs/npy.hpp"
#include "solvers/minima/reference.hpp"
#include "tools/cli/solve/problems.hpp"

namespace bombard::tools {

namespace {

template <class T>
std::array<double, 9> reference(std::span<const T> matrices) {
  const std::array<T, 9> found = minima_reference<T>(matrices);
  std::array<double, 9> minima;
  std::ranges::copy(found, minima.begin());
  return minima;
}

/// The set read again, plainly, and reduced by Eigen.
std::array<double, 9> reference_of(const std::string& path) {
  const MappedFile file(path);
  if (is_npy(file)) {
    const NpyArray array(file);
    return std::visit(
        []<class T>(std::span<const T> values) -> std::array<double, 9> {
          if constexpr (std::is_same_v<T, std::int64_t>) {
            return {};  // refused when the set was read
          } else {
            return reference<T>(values);
          }
        },
        array.values());
  }
  std::ifstream text(path);
  std::int64_t count = 0;
  text >> count;
  std::vector<std::int32_t> values;
  std::string separator;
  while (text >> separator) {
    for (int i = 0; i < 9; ++i) text >> values.emplace_back();
  }
  return reference<std::int32_t>(values);
}

}  // namespace

int solve_minima(const SolveRequest& request) {
  if (request.validate && request.files[0] == "-") {
    throw InputError("--validate reads the file twice; standard input can be read only once");
  }
  ResultWriter writer(request);
  const MatrixSetMinima minima =
      solve::minima_of_file(request.files[0], request.device, request.threads);
  const bool on_gpu = request.device.kind == Device::cuda;
  tell(request, fmt::format("{} matri{} {}", minima.matrices, minima.matrices == 1 ? "x" : "ces",
                            device_word(on_gpu)));
  std::visit(
      [&]<class T>(T) {
        std::array<T, 9> values;
        std::ranges::transform(minima.values, values.begin(),
                               [](double value) { return static_cast<T>(value); });
        writer.write<T>(values, {3, 3});
      },
      minima.element);
  if (!request.validate) return 0;
  const std::array<double, 9> expected = reference_of(request.files[0]);
  bool agrees = true;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    agrees = agrees && (minima.values[i] == expected[i] ||
                        (std::isnan(minima.values[i]) && std::isnan(expected[i])));
  }
  return verdict(request, agrees, "a plain reader and Eigen",
                 agrees ? "all nine" : "there are " + text_of<double>(expected, 9));
}

}  // namespace bombard::tools
