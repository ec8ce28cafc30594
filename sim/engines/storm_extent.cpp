#include "sim/engines/storm_extent.hpp"

#include <bit>
#include <cstddef>

#include "kernels/base/vector.hpp"

namespace bombard {

namespace {

// To vectors an impact is two words: its position; its energy, below 32 bits that mean nothing.
static_assert(sizeof(Impact) == 16 && offsetof(Impact, energy) == 8);
static_assert(std::endian::native == std::endian::little);

StormExtent one_by_one(std::span<const Impact> impacts, Impact* copy) {
  StormExtent found;
  for (const Impact& impact : impacts) {
    found.add(impact);
    if (copy != nullptr) *copy++ = impact;
  }
  return found;
}

/// Six times as quick: measured on one core, 1.26 and 0.2 ns for each impact. (AVX2 lacks
/// instructions for words: vectors of it gain little.)
BOMBARD_AVX512 StormExtent by_avx512(std::span<const Impact> impacts, Impact* copy) {
  using Words = cpu::Vector<std::int64_t, 64>;
  using Magnitudes = cpu::Vector<std::uint64_t, 64>;
  constexpr int at_once = 4;
  StormExtent found;
  Words lowest = Words{} + found.lowest;
  Words highest = Words{} + found.highest;
  Magnitudes weakest = ~Magnitudes{};
  Words signs{}, without{};
  std::size_t i = 0;
  for (; i + at_once <= impacts.size(); i += at_once) {
    const Words impact = *reinterpret_cast<const Words*>(impacts.data() + i);
    if (copy != nullptr) *reinterpret_cast<Words*>(copy + i) = impact;
    const Words energy = impact << 32;
    const Magnitudes magnitude = energy < 0 ? 0 - Magnitudes(energy) : Magnitudes(energy);
    lowest = impact < lowest ? impact : lowest;
    highest = impact > highest ? impact : highest;
    weakest = magnitude < weakest ? magnitude : weakest;
    signs |= energy;
    without |= energy == 0;
  }
  bool any_without = false;
  for (int k = 0; k < at_once && i > 0; ++k) {
    found.add({.impacts = static_cast<std::int64_t>(i / at_once),
               .lowest = lowest[2 * k],
               .highest = highest[2 * k],
               .weakest = static_cast<std::int64_t>(weakest[2 * k + 1] >> 32),
               .negative = signs[2 * k + 1] < 0});
    any_without |= without[2 * k + 1] != 0;
  }
  // Impacts without energy do not count. They are rare.
  if (any_without) found = one_by_one(impacts.first(i), nullptr);
  found.add(one_by_one(impacts.subspan(i), copy == nullptr ? nullptr : copy + i));
  return found;
}

}  // namespace

StormExtent extent_of(std::span<const Impact> impacts) {
  return cpu::widest(by_avx512, one_by_one, one_by_one)(impacts, nullptr);
}

StormExtent copied(std::span<const Impact> impacts, Impact* copy) {
  return cpu::widest(by_avx512, one_by_one, one_by_one)(impacts, copy);
}

}  // namespace bombard
