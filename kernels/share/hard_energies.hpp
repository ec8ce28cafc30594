#pragma once

#include <cstdint>
#include <span>

#include "kernels/share/attenuation.hpp"

namespace bombard::cuda {

/// 32-bit words of a set of binary32 significands: bit f of the set stands for the 23 stored bits
/// f.
inline constexpr std::int64_t significand_words = (std::int64_t{1} << 23) / 32;

/// The significands of energies whose share the quick way (exact_share.cuh) misrounds at some
/// distance n = 1 .. farthest <= 2^24. An energy outside the set may go the quick way at all those
/// distances; the sign and the exponent never matter. About one significand in 120 is hard for a
/// million cells. `set` is significand_words of device memory; returns once launched.
template <class Law>
void hard_energies(std::int64_t farthest, std::span<unsigned> set);

/// Whether shares of a law have a quick way at all.
template <class Law>
inline constexpr bool has_quick_share = false;
template <>
inline constexpr bool has_quick_share<SquareRootLaw> = true;

}  // namespace bombard::cuda
