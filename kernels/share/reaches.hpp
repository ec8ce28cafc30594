#pragma once

#include <cstdint>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/share/reach.hpp"

/// The reach of each deposit. Spans of device memory of the same length; returns once launched.
/// AnyRule is a LayerRule or a TrueRule.
namespace bombard::cuda {
template <class AnyRule>
void find_reaches(const AnyRule& rule, std::span<const Impact> deposits,
                  std::span<std::int64_t> reaches);
}
