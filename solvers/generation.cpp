#include "solvers/generation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "inputs/byte_count.hpp"
#include "inputs/random_numbers.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

namespace {

/// Consecutive seeds give unrelated numbers.
RandomNumbers stream(std::uint64_t seed) {
  return RandomNumbers(RandomNumbers(seed).next());
}

}  // namespace

template <class T>
std::vector<T> generate_values(std::int64_t number, T lowest, T highest, std::uint64_t seed) {
  require_host_memory(byte_count({number, sizeof(T)}),
                      fmt::format("an array of {} elements", number));
  RandomNumbers random = stream(seed);
  std::vector<T> values(static_cast<std::size_t>(number));
  for (T& value : values) {
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(random.between(lowest, highest));
    } else {
      value = static_cast<T>(lowest + (highest - lowest) * random.unit());
    }
  }
  return values;
}
template std::vector<std::int32_t> generate_values(std::int64_t, std::int32_t, std::int32_t,
                                                   std::uint64_t);
template std::vector<float> generate_values(std::int64_t, float, float, std::uint64_t);
template std::vector<double> generate_values(std::int64_t, double, double, std::uint64_t);

SparseMatrix<double> generate_system(std::int64_t n, std::int64_t others, std::uint64_t seed) {
  constexpr std::int64_t entry_bytes = sizeof(double) + sizeof(std::int32_t);
  require_host_memory(byte_count({n, others + 2, entry_bytes}),
                      fmt::format("a matrix of {} rows with {} elements", n, others + 1));
  const bool whole_rows = others == n - 1;
  RandomNumbers random = stream(seed);
  SparseMatrix<double> matrix{n, n, {0}, {}, {}};
  std::vector<std::pair<std::int32_t, double>> row_entries;
  std::vector<std::int32_t> last_row(static_cast<std::size_t>(n), -1);  // with this column
  for (std::int32_t row = 0; row < n; ++row) {
    row_entries.clear();
    double sizes = 0;
    while (std::ssize(row_entries) < others) {
      // Any column but the diagonal's and those already taken.
      auto column = static_cast<std::int32_t>(
          whole_rows ? row_entries.size() : random.below(static_cast<std::uint64_t>(n - 1)));
      if (column >= row) ++column;
      const double value = 2 * random.unit() - 1;
      if (std::exchange(last_row[static_cast<std::size_t>(column)], row) == row) continue;
      row_entries.emplace_back(column, value);
      sizes += std::abs(value);
    }
    row_entries.emplace_back(row, sizes > 0 ? 2 * sizes : 1);
    std::ranges::sort(row_entries);
    for (const auto& [column, value] : row_entries) {
      matrix.column_indices.push_back(column);
      matrix.values.push_back(value);
    }
    matrix.row_offsets.push_back(std::ssize(matrix.values));
  }
  return matrix;
}

}  // namespace bombard
