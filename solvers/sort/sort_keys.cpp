#include "solvers/sort/sort_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <parallel/algorithm>
#include <utility>
#include <vector>

#include "kernels/base/host_memory.hpp"
#include "solvers/sort/sort_key.hpp"

namespace bombard::cpu {

namespace {

/// The library's choice by itself; named, its other ways to sort are not compiled.
const __gnu_parallel::multiway_mergesort_exact_tag by_merging;

/// The library's sort, which cannot be ended: without a question all at once, else by pieces that
/// take a tenth of a second. The sorted pieces are merged from the lowest keys upwards, again about
/// a tenth of a second at a time: up to the next key of a regular sample of all keys.
template <class Key>
void sort_keys(std::vector<Key>& keys, const std::function<void()>& interrupt) {
  constexpr std::size_t keys_at_once = std::size_t{1} << 22, samples = 64;
  Key* const end = keys.data() + keys.size();
  if (!interrupt || keys.size() <= keys_at_once) {
    __gnu_parallel::sort(keys.data(), end, by_merging);
    return;
  }
  std::vector<std::pair<Key*, Key*>> pieces;
  std::vector<Key> sample;
  for (Key* first = keys.data(); first < end;) {
    interrupt();
    const std::size_t count = std::min(keys_at_once, static_cast<std::size_t>(end - first));
    __gnu_parallel::sort(first, first + count, by_merging);
    for (std::size_t i = 0; i < count; i += keys_at_once / samples) sample.push_back(first[i]);
    pieces.emplace_back(first, first + count);
    first += count;
  }
  std::ranges::sort(sample);

  std::vector<Key> merged(keys.size());
  Key* to = merged.data();
  for (std::size_t i = samples; to < merged.data() + merged.size(); i += samples) {
    interrupt();
    std::vector<std::pair<Key*, Key*>> lowest;
    std::ptrdiff_t count = 0;
    for (auto& [first, last] : pieces) {
      Key* const behind = i < sample.size() ? std::upper_bound(first, last, sample[i]) : last;
      lowest.emplace_back(first, behind);
      count += behind - first;
      first = behind;
    }
    to = __gnu_parallel::multiway_merge(lowest.begin(), lowest.end(), to, count, std::less<Key>());
  }
  keys.swap(merged);
}

}  // namespace

template <class T>
void sort(std::span<T> values, SortOrder order, const std::function<void()>& interrupt) {
  // Keys instead of values: NaN has a place among them, and unsigned comparison is quick.
  const auto size = static_cast<std::int64_t>(values.size());
  // The keys, and the copy of them that a merge takes.
  require_host_memory(2 * static_cast<std::int64_t>(values.size_bytes()),
                      fmt::format("sorting {} elements", size));
  std::vector<SortKey<T>> keys(values.size());
#pragma omp parallel for simd schedule(static) if (size > 100'000)
  for (std::int64_t i = 0; i < size; ++i) {
    keys[i] = sort_key<T>(std::bit_cast<SortKey<T>>(values[i]), order);
  }
  sort_keys(keys, interrupt);
#pragma omp parallel for simd schedule(static) if (size > 100'000)
  for (std::int64_t i = 0; i < size; ++i) {
    values[i] = std::bit_cast<T>(value_of_sort_key<T>(keys[i], order));
  }
}
template void sort<std::int32_t>(std::span<std::int32_t>, SortOrder, const std::function<void()>&);
template void sort<float>(std::span<float>, SortOrder, const std::function<void()>&);
template void sort<double>(std::span<double>, SortOrder, const std::function<void()>&);

}  // namespace bombard::cpu
