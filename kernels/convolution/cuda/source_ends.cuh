#pragma once

// Deposits whose shares count up to a reach only (docs/methods.md, The convolution). The cells that
// count are those k with |position - k| < reach. Far from its position a deposit is a source as any
// other, up to the chunk where it ends; from there on the states lack it again, and in that chunk
// its shares are added one by one. A deposit that ends near its position, in its own chunk or the
// next, is no source: all its shares are added one by one.

#include <cmath>
#include <cstdint>

#include "bombard/storm.hpp"
#include "kernels/convolution/cuda/shape.cuh"
#include "kernels/convolution/cuda/storm_list.cuh"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/layer/attenuation.hpp"

namespace bombard::cuda {

/// A deposit that ends in the layer. Cells are those of the padded layer.
struct EndingDeposit {
  std::int64_t position;
  std::int64_t reach;
  std::int32_t energy;
  unsigned number;  ///< of the deposit in its storm
};

/// The chunk that a source is in; what lies outside is in the one chunk more on either side.
__device__ inline std::int64_t chunk_of_source(std::int64_t position, std::int64_t chunks) {
  return position < 0 ? -1 : min(position / width, chunks);
}

/// A list, in which each chunk has its part: of the sources that end there on their right, those
/// that end there on their left, and the deposits there that are no sources.
enum class End { right, left, near };
inline constexpr int end_lists = 3;

/// Shares one by one: scale * attenuation at a distance.
struct Shares {
  Attenuation attenuation;
  double scale;
  const double* of_distance;  ///< [distance < table_size]

  static constexpr std::int64_t table_size = 1 << 20;

  __device__ double compute(std::int64_t distance) const {
    const auto n = static_cast<double>(distance);
    return scale * (attenuation.kind == Attenuation::Kind::power
                        ? pow(n, -attenuation.parameter)
                        : exp(-(n - 1) / attenuation.parameter));
  }
  __device__ double at(std::int64_t distance) const {
    return distance < table_size ? of_distance[distance] : compute(distance);
  }
};

/// The deposits of a storm that end, by list and chunk, those of a chunk in the order of the storm.
struct EndLists {
  static constexpr bool any = true;

  const EndingDeposit* deposits;
  const unsigned* starts;  ///< [list][chunk], and behind the last; then those of the next storm
  std::int64_t chunks;
  Shares shares;
  DepositUncertainty uncertainty;

  /// The same of another storm of those that were found together.
  __host__ __device__ EndLists of_storm(std::int64_t storm,
                                        const DepositUncertainty& of_deposits) const {
    return {deposits, starts + storm * end_lists * chunks, chunks, shares, of_deposits};
  }

  struct Range {
    unsigned begin, end;
    __device__ unsigned size() const { return end - begin; }
  };
  /// Those of chunks first .. end - 1, some of which there may not be.
  __device__ Range of_chunks(End list, std::int64_t first, std::int64_t end) const {
    const unsigned* const of_list = starts + static_cast<int>(list) * chunks;
    const auto there = [&](std::int64_t chunk) { return min(max(chunk, std::int64_t{0}), chunks); };
    return {of_list[there(first)], of_list[there(end)]};
  }

  __device__ double off(const EndingDeposit& deposit) const {
    return uncertainty.of(deposit.number, deposit.energy);
  }
  /// What the deposit brings as sources of this kind have it: energies are whole numbers.
  template <class Amount>
  __device__ double amount(const EndingDeposit& deposit) const;
};

template <>
__device__ inline double EndLists::amount<std::int64_t>(const EndingDeposit& deposit) const {
  return static_cast<double>(deposit.energy);
}
template <>
__device__ inline double EndLists::amount<double>(const EndingDeposit& deposit) const {
  return off(deposit);
}

/// Of a storm in which all deposits count everywhere.
struct NoEnds {
  static constexpr bool any = false;
};

/// A sum whose roundings do not grow with the number of summands: each addition's is added up
/// apart (Knuth's two-sum; nothing here is contracted).
struct CompensatedSum {
  double sum = 0;
  double rest = 0;

  __device__ void add(double summand) {
    const double next = __dadd_rn(sum, summand);
    const double added = __dsub_rn(next, sum);
    rest += __dadd_rn(__dsub_rn(sum, __dsub_rn(next, added)), __dsub_rn(summand, added));
    sum = next;
  }
  __device__ double value() const { return sum + rest; }
};

}  // namespace bombard::cuda
