#include "kernels/sorting/bitonic_sort.hpp"

#include <fmt/format.h>

#include <bit>
#include <parallel/algorithm>
#include <vector>

#include "kernels/base/host_memory.hpp"
#include "kernels/sorting/sort_key.hpp"

namespace bombard::cpu {

template <class T>
void sort(std::span<T> values, SortOrder order) {
  // Keys instead of values: NaN has a place among them, and unsigned comparison is quick.
  const auto size = static_cast<std::int64_t>(values.size());
  // The keys, and the copy of them that the library's merge sort takes.
  require_host_memory(2 * static_cast<std::int64_t>(values.size_bytes()),
                      fmt::format("sorting {} elements", size));
  std::vector<SortKey<T>> keys(values.size());
#pragma omp parallel for simd schedule(static) if (size > 100'000)
  for (std::int64_t i = 0; i < size; ++i) {
    keys[i] = sort_key<T>(std::bit_cast<SortKey<T>>(values[i]), order);
  }
  __gnu_parallel::sort(keys.begin(), keys.end());
#pragma omp parallel for simd schedule(static) if (size > 100'000)
  for (std::int64_t i = 0; i < size; ++i) {
    values[i] = std::bit_cast<T>(value_of_sort_key<T>(keys[i], order));
  }
}
template void sort<std::int32_t>(std::span<std::int32_t>, SortOrder);
template void sort<float>(std::span<float>, SortOrder);
template void sort<double>(std::span<double>, SortOrder);

}  // namespace bombard::cpu
