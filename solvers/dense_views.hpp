#pragma once

#include <fmt/format.h>

#include "bombard/errors.hpp"
#include "bombard/matrix_views.hpp"
#include "inputs/byte_count.hpp"

namespace bombard {

/// Throws InputError unless the matrix is what its view says.
template <class T>
void check_view(const DenseView<T>& a) {
  if (a.rows >= 0 && a.columns >= 0 &&
      static_cast<std::int64_t>(a.values.size()) == byte_count({a.rows, a.columns})) {
    return;
  }
  throw InputError(
      fmt::format("{} values are not a matrix of {} x {}", a.values.size(), a.rows, a.columns));
}

}  // namespace bombard
