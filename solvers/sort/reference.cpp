#include "solvers/sort/reference.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bombard {

template <class T>
void sort_reference(std::span<T> values, solve::Order order) {
  if constexpr (std::is_floating_point_v<T>) {
    for (T& value : values) {
      if (std::isnan(value)) value = std::copysign(value, T{1});
    }
    std::ranges::sort(values, [order](T a, T b) {
      if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
      if (order == solve::Order::descending) std::swap(a, b);
      return a < b || (a == b && std::signbit(a) && !std::signbit(b));
    });
  } else if (order == solve::Order::ascending) {
    std::ranges::sort(values);
  } else {
    std::ranges::sort(values, std::ranges::greater());
  }
}
template void sort_reference<std::int32_t>(std::span<std::int32_t>, solve::Order);
template void sort_reference<float>(std::span<float>, solve::Order);
template void sort_reference<double>(std::span<double>, solve::Order);

}  // namespace bombard
