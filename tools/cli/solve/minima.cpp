#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "bombard/solve.hpp"
#include "inputs/input_file.hpp"
#include "inputs/npy.hpp"
#include "solvers/minima/reference.hpp"
#include "tools/cli/solve/problems.hpp"

namespace bombard::tools {

namespace {

/// The set, with elements of type T, read again plainly and reduced by Eigen.
template <class T>
std::array<T, 9> reference_of(const std::string& path) {
  const InputFile file(path);
  if (is_npy(file)) {
    const NpyArray array(file);
    return minima_reference(std::get<std::span<const T>>(array.values()));
  }
  std::ifstream text(path);
  std::int64_t count = 0;
  text >> count;
  std::vector<T> values;
  std::string separator;
  while (text >> separator) {
    for (int i = 0; i < 9; ++i) text >> values.emplace_back();
  }
  return minima_reference<T>(values);
}

}  // namespace

int solve_minima(const Arguments& given) {
  SolveRequest request(given);
  if (request.validate && request.files[0] == "-") {
    throw InputError("--validate reads the file twice; standard input can be read only once");
  }
  const MatrixSetMinima minima =
      solve::minima_of_file(request.files[0], request.device, request.threads);
  const bool on_gpu = request.device.kind == Device::cuda;
  tell(request, fmt::format("{} matri{} {}", minima.matrices, minima.matrices == 1 ? "x" : "ces",
                            device_word(on_gpu)));
  return std::visit(
      [&]<class T>(T) {
        std::array<T, 9> values;
        std::ranges::transform(minima.values, values.begin(),
                               [](double value) { return static_cast<T>(value); });
        write_result<T>(request, values, {3, 3});
        if (!request.validate) return 0;
        return compare(
            request, values, reference_of<T>(request.files[0]), [](std::size_t) { return 0; },
            "a plain reader and Eigen");
      },
      minima.element);
}

}  // namespace bombard::tools
