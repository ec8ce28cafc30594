#include BOMBARD_QUOTIENT
#include "kernels/layer/vector_loops.hpp"

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET {

namespace {

/// divisor(|d + i| + 1) for i = 0 .. count-1.
template <class Law>
void compute_divisors(std::int64_t d, std::int32_t count, float* divisors) {
  const std::int64_t bound = std::int64_t{0x7fffffff} - 2 * count;
  if (d > -bound && d < bound) {
    const auto start = static_cast<std::int32_t>(d);
    for (std::int32_t i = 0; i < count; ++i) {
      const std::int32_t apart = start + i < 0 ? -(start + i) : start + i;
      divisors[i] = Law::divisor(static_cast<float>(apart + 1));
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) divisors[i] = Law::divisor(distance(d + i, 0));
  }
}

template <bool every_share_counts>
[[gnu::always_inline]] inline Floats added(Floats sum, Floats share, float smallest) {
  if constexpr (every_share_counts) return sum + share;
  return ((share >= smallest) | (share <= -smallest)) ? sum + share : sum;
}

/// Adds the impacts to `vectors` vectors of cells, which stay in registers from the first impact to
/// the last. One quotient a cell is all that is left, so the divisors must arrive in time: they are
/// fetched four impacts ahead, which is the time the third-level cache takes.
template <class Law, int vectors, bool every_share_counts>
void add(const UpdateWork& work, std::int64_t first, float* layer) {
  constexpr int cells = vectors * lanes;
  constexpr int floats_in_cache_line = 16;
  constexpr std::int64_t ahead = 4;
  const std::int64_t lowest = -work.reach;
  const std::int64_t highest = work.reach + 1 - cells;
  const auto in_table = [&](std::int64_t d) { return d >= lowest && d <= highest; };

  Floats sum[vectors];
  for (int j = 0; j < vectors; ++j) sum[j] = load(layer + j * lanes);
  for (std::int64_t i = 0; i < work.count; ++i) {
    const std::int64_t d = first - work.impacts[i].position;
    const float energy = work.impacts[i].energy;
    if (in_table(d)) {
      const std::int64_t coming = i + ahead < work.count ? i + ahead : i;
      const std::int64_t d_coming = first - work.impacts[coming].position;
      const float* const fetched = work.divisors + (in_table(d_coming) ? d_coming : d);
      const float* const divisors = work.divisors + d;
#pragma GCC unroll 16
      for (int j = 0; j < vectors; ++j) {
        if (j * lanes % floats_in_cache_line == 0) __builtin_prefetch(fetched + j * lanes);
        sum[j] = added<every_share_counts>(sum[j], quotient(j, energy, load(divisors + j * lanes)),
                                           work.smallest);
      }
    } else {
      float divisors[cells];
      compute_divisors<Law>(d, cells, divisors);
#pragma GCC unroll 16
      for (int j = 0; j < vectors; ++j) {
        sum[j] =
            added<every_share_counts>(sum[j], energy / load(divisors + j * lanes), work.smallest);
      }
    }
  }
  for (int j = 0; j < vectors; ++j) store(layer + j * lanes, sum[j]);
}

template <class Law, bool every_share_counts>
void add_everywhere(const UpdateWork& work) {
  std::int64_t k = 0;
  const auto whole = [&](int vectors) { return k + vectors * lanes <= work.cells; };
  for (; whole(BOMBARD_SUMS); k += BOMBARD_SUMS * lanes) {
    add<Law, BOMBARD_SUMS, every_share_counts>(work, work.first + k, work.layer + k);
  }
  for (; whole(4); k += 4 * lanes) {
    add<Law, 4, every_share_counts>(work, work.first + k, work.layer + k);
  }
  for (; whole(1); k += lanes) {
    add<Law, 1, every_share_counts>(work, work.first + k, work.layer + k);
  }
  if (k < work.cells) {
    float rest[lanes] = {};
    for (std::int64_t i = k; i < work.cells; ++i) rest[i - k] = work.layer[i];
    add<Law, 1, every_share_counts>(work, work.first + k, rest);
    for (std::int64_t i = k; i < work.cells; ++i) work.layer[i] = rest[i - k];
  }
}

}  // namespace

template <class Law>
void update(const UpdateWork& work) {
  if (work.every_share_counts) {
    add_everywhere<Law, true>(work);
  } else {
    add_everywhere<Law, false>(work);
  }
}
template void update<SquareRootLaw>(const UpdateWork&);

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET
