#include "solvers/sort/sort.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/base/host_memory.hpp"
#include "solvers/solver_device.hpp"
#include "solvers/sort/sort_key.hpp"

namespace bombard::solve {

namespace {

/// Radix sort, least significant digits first. Keys go to their places piece by piece: threads take
/// different pieces, and `interrupt` is called after each has taken 16, some tens of milliseconds.
template <class Key>
void sort_keys(std::vector<Key>& keys, const std::function<void()>& interrupt) {
  constexpr std::int64_t piece_keys = std::int64_t{1} << 18;
  constexpr int digit_bits = 8;
  const auto size = static_cast<std::int64_t>(keys.size());
  const std::int64_t pieces = (size + piece_keys - 1) / piece_keys;
  std::vector<std::array<std::int64_t, 1 << digit_bits>> places(static_cast<std::size_t>(pieces));
  std::vector<Key> sorted(keys.size());
  for (int shift = 0; shift < 8 * static_cast<int>(sizeof(Key)); shift += digit_bits) {
    /// Calls use(key, the place of the piece's next key of this digit).
    const auto for_each_key = [&](const auto& use) {
      const std::int64_t together = interrupt ? 16 * omp_get_max_threads() : pieces;
      for (std::int64_t first = 0; first < pieces; first += together) {
        if (interrupt) interrupt();
#pragma omp parallel for
        for (std::int64_t piece = first; piece < std::min(pieces, first + together); ++piece) {
          auto& of_piece = places[static_cast<std::size_t>(piece)];
          const std::int64_t end = std::min(size, (piece + 1) * piece_keys);
          for (std::int64_t i = piece * piece_keys; i < end; ++i) {
            use(keys[i], of_piece[(keys[i] >> shift) % (1 << digit_bits)]);
          }
        }
      }
    };
    std::ranges::fill(places, std::array<std::int64_t, 1 << digit_bits>{});
    for_each_key([](Key, std::int64_t& count) { ++count; });
    std::int64_t before = 0;
    for (std::size_t digit = 0; digit < places.front().size(); ++digit) {
      for (auto& of_piece : places) before += std::exchange(of_piece[digit], before);
    }
    for_each_key([&](Key key, std::int64_t& place) { sorted[place++] = key; });
    keys.swap(sorted);
  }
}

template <class T>
void sort_on_cpu(std::span<T> values, const std::function<void()>& interrupt) {
  // Keys instead of values: NaN has a place among them, and unsigned comparison is fast.
  const auto size = static_cast<std::int64_t>(values.size());
  if (size == 0) return;
  // The keys, and the places to which a pass moves them.
  require_host_memory(2 * static_cast<std::int64_t>(values.size_bytes()),
                      fmt::format("sorting {} elements", size));
  std::vector<SortKey<T>> keys(values.size());
#pragma omp parallel for simd schedule(static) if (size > 100'000)
  for (std::int64_t i = 0; i < size; ++i) {
    keys[i] = sort_key<T>(std::bit_cast<SortKey<T>>(values[i]));
  }
  sort_keys(keys, interrupt);
#pragma omp parallel for simd schedule(static) if (size > 100'000)
  for (std::int64_t i = 0; i < size; ++i) {
    values[i] = std::bit_cast<T>(value_of_sort_key<T>(keys[i]));
  }
}

}  // namespace

template <class T>
bool sort(std::span<T> values, const SortSettings& settings) {
  if (settings.kernel != "bitonic" && settings.kernel != "radix") {
    throw InputError(
        fmt::format("kernel \"{}\" does not sort; there are bitonic and radix", settings.kernel));
  }
  const auto size = static_cast<double>(values.size());
  const double comparisons = size * std::log2(size + 2);
  const SolverDevice device(settings.device, comparisons * 1.5e-9 / omp_get_max_threads());
  if (device.is_gpu()) {
    best_implementation<DeviceSort<T>>(settings.kernel)(values, nullptr);
  } else {
    sort_on_cpu(values, settings.interrupt);
  }
  if (settings.order == Order::descending) {  // NaN stays last
    std::reverse(values.begin(), std::ranges::partition_point(values, [](T v) { return v == v; }));
  }
  return device.is_gpu();
}
template bool sort<std::int32_t>(std::span<std::int32_t>, const SortSettings&);
template bool sort<float>(std::span<float>, const SortSettings&);
template bool sort<double>(std::span<double>, const SortSettings&);

}  // namespace bombard::solve
