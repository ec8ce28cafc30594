#pragma once

#include <cstdint>

namespace bombard {

/// The layer is cut into chunks of this many cells (docs/methods.md, The fast layer): impacts in a
/// chunk and its two neighbours are added one by one, all others through states of exponentials.
inline constexpr std::int64_t chunk_cells = 64;
/// Chunks that the CPU evaluates together, so that it uses each table entry it loads for all four.
inline constexpr std::int64_t group_chunks = 4;
inline constexpr std::int64_t group_cells = group_chunks * chunk_cells;
/// The most chunks that one thread of the CPU sweeps at a time.
inline constexpr std::int64_t most_block_chunks = 128;

/// Numbers of binary64 in a cache line. Rows of the tables begin at the start of a line.
inline constexpr std::int64_t line_doubles = 8;

/// The degree of the polynomials that replace the exponentials in a chunk (docs/roundings.md,
/// Polynomials).
inline constexpr int polynomial_degree = 15;
/// The number of coefficients of even powers, or of odd ones, of a polynomial.
inline constexpr int parity_coefficients = (polynomial_degree + 1) / 2;

}  // namespace bombard
