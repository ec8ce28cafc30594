#include <fmt/format.h>

#include <optional>

#include "bombard/solve.hpp"
#include "inputs/array_file.hpp"
#include "solvers/solver_device.hpp"
#include "solvers/sums/reduction.hpp"
#include "solvers/sums/smaller.hpp"

namespace bombard::solve {

namespace {

constexpr const char* no_largest = "there are no values, so there is no largest";

/// The result of reduce(T{}, how) for the type in which a file is read.
template <class Reduce>
auto in_type(std::optional<Precision> asked, const Reduce& reduce) {
  if (asked == Precision::binary32) return *reduce(float{}, ElementType::asked);
  if (asked == Precision::binary64) return *reduce(double{}, ElementType::asked);
  if (auto found = reduce(std::int32_t{}, ElementType::own)) return *found;
  if (auto found = reduce(float{}, ElementType::own)) return *found;
  return *reduce(double{}, ElementType::own);
}

}  // namespace

// One operation for each element: the way to a GPU alone takes longer than the reduction here.
template <class T>
Sum<T> sum(std::span<const T> values, const Device& device) {
  const SolverDevice solver(device, 0);
  return solver.is_gpu() ? on_device<DeviceReductions<T>>().sum(values) : cpu::sum(values);
}
template std::int64_t sum<std::int32_t>(std::span<const std::int32_t>, const Device&);
template double sum<float>(std::span<const float>, const Device&);
template double sum<double>(std::span<const double>, const Device&);

template <class T>
T maximum(std::span<const T> values, const Device& device) {
  const SolverDevice solver(device, 0);
  if (values.empty()) throw InputError(no_largest);
  return solver.is_gpu() ? on_device<DeviceReductions<T>>().maximum(values) : cpu::maximum(values);
}
template std::int32_t maximum<std::int32_t>(std::span<const std::int32_t>, const Device&);
template float maximum<float>(std::span<const float>, const Device&);
template double maximum<double>(std::span<const double>, const Device&);

std::variant<std::int64_t, double> sum_of_file(const std::string& path,
                                               std::optional<Precision> precision) {
  using Found = std::optional<std::variant<std::int64_t, double>>;
  const MappedFile file(path);
  return in_type(precision, [&]<class T>(T, ElementType type) -> Found {
    SumSoFar<T> so_far = {};
    Sum<T> sum = 0;
    const TakeElements<T> take = [&](std::span<const T> piece) { sum = cpu::sum(piece, so_far); };
    return read_vector_in_pieces<T>(file, type, take) ? Found(sum) : Found();
  });
}

std::variant<std::int32_t, float, double> maximum_of_file(const std::string& path,
                                                          std::optional<Precision> precision) {
  using Found = std::optional<std::variant<std::int32_t, float, double>>;
  const MappedFile file(path);
  return in_type(precision, [&]<class T>(T, ElementType type) -> Found {
    std::optional<T> largest;
    const TakeElements<T> take = [&](std::span<const T> piece) {
      if (piece.empty()) return;
      const T of_piece = cpu::maximum(piece);
      largest = largest ? larger(*largest, of_piece) : of_piece;
    };
    if (!read_vector_in_pieces<T>(file, type, take)) return {};
    if (!largest) throw InputError(fmt::format("{}: {}", file.name(), no_largest));
    return *largest;
  });
}

}  // namespace bombard::solve
