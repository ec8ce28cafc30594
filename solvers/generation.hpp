#pragma once

#include <cstdint>
#include <vector>

#include "bombard/matrices.hpp"

namespace bombard {

// Random data for problems to solve: the same on every machine for the same arguments. Throws
// CannotRun when it does not fit in memory.

/// Uniform in [lowest, highest), integers in lowest..highest, independent; T std::int32_t, float or
/// double.
template <class T>
std::vector<T> generate_values(std::int64_t number, T lowest, T highest, std::uint64_t seed);

/// A strictly diagonally dominant n x n matrix with `others` off-diagonal elements in each row, n -
/// 1 at most: their columns distinct and uniform, the elements uniform in [-1, 1). Each diagonal
/// element is twice the sum of their magnitudes in its row (1 where there are none).
SparseMatrix<double> generate_system(std::int64_t n, std::int64_t others, std::uint64_t seed);

}  // namespace bombard
