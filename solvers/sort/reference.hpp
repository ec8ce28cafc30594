#pragma once

#include <span>

#include "bombard/solve.hpp"

namespace bombard {

/// std::sort of the same order, which `--validate` and tests compare with.
template <class T>
void sort_reference(std::span<T> values, solve::Order order);

}  // namespace bombard
