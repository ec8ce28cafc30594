#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "bombard/solve.hpp"

namespace bombard {

/// std::sort in the order of solve::sort(), with which `--validate` and tests compare.
template <class T>
void sort_reference(std::span<T> values, solve::Order order) {
  const auto none = [](T value) { return value != value; };
  for (T& value : values) {
    if (none(value)) value = std::abs(value);
  }
  std::ranges::sort(values, [&](T a, T b) {
    if (none(a) || none(b)) return !none(a) && none(b);
    if (order == solve::Order::descending) std::swap(a, b);
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  });
}

}  // namespace bombard
