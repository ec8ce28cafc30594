#include "kernels/layer/update_work.hpp"
#include "kernels/layer/vector_loops.hpp"
#include "kernels/share/computed_divisors.hpp"

namespace bombard::cpu {

namespace {

template <bool is_tested>
[[gnu::always_inline]] inline Floats added(Floats sum, Floats share, float smallest) {
  if constexpr (!is_tested) return sum + share;
  return ((share >= smallest) | (share <= -smallest)) ? sum + share : sum;
}

/// Adds the shares of an impact to `vectors` vectors of cells, whose sums are in registers.
/// `fetched` is prefetched because it will be read soon.
template <int vectors, bool is_tested>
[[gnu::always_inline]] inline void add_shares(float energy, const float* divisors,
                                              const float* fetched, float smallest,
                                              Floats (&sum)[vectors]) {
  constexpr int floats_in_cache_line = 16;
#pragma GCC unroll 16
  for (int j = 0; j < vectors; ++j) {
    if (j * lanes % floats_in_cache_line == 0) __builtin_prefetch(fetched + j * lanes);
    sum[j] = added<is_tested>(sum[j], energy / load(divisors + j * lanes), smallest);
  }
}

/// Adds the impacts to `vectors` vectors of cells, which stay in registers from the first impact to
/// the last. Only one division for each cell is left, so the divisors must arrive in time: they are
/// fetched four impacts ahead, which is as long as the third-level cache takes. Where some shares
/// do not count, impacts that do not reach the cells are skipped, and only those whose reach ends
/// among them are tested share by share.
template <class Law, int vectors, bool every_share_counts>
void add(const UpdateWork<Law>& work, std::int64_t first, float* layer) {
  constexpr int cells = vectors * lanes;
  constexpr std::int64_t ahead = 4;
  const std::int64_t lowest = -work.farthest_divisor;
  const std::int64_t highest = work.farthest_divisor + 1 - cells;
  const auto in_table = [&](std::int64_t d) { return d >= lowest && d <= highest; };

  // These are in registers; where a sanitizer keeps them in memory, Clang still expects alignment.
  alignas(sizeof(Floats)) Floats sum[vectors];
  for (int j = 0; j < vectors; ++j) sum[j] = load(layer + j * lanes);
  for (std::int64_t i = 0; i < work.count; ++i) {
    const std::int64_t d = first - work.impacts[i].position;
    const float energy = work.impacts[i].energy;
    bool all = every_share_counts;
    if constexpr (!every_share_counts) {
      // The distances of the nearest and the farthest cell, less 1.
      const std::int64_t last = d + cells - 1;
      const std::int64_t nearest = d > 0 ? d : last < 0 ? -last : 0;
      const std::int64_t farthest = d + last > 0 ? last : -d;
      const std::int64_t reach = work.impacts[i].reach;
      if (nearest >= reach && reach != ScaledImpact::any) continue;
      all = farthest < reach && reach != ScaledImpact::any;
    }
    if (!in_table(d)) {
      float computed[cells];
      compute_divisors(work.law, d, cells, computed);
      add_shares<vectors, true>(energy, computed, computed, work.smallest, sum);
      continue;
    }
    const std::int64_t coming = i + ahead < work.count ? i + ahead : i;
    const std::int64_t d_coming = first - work.impacts[coming].position;
    const float* const fetched = work.divisors + (in_table(d_coming) ? d_coming : d);
    const float* const divisors = work.divisors + d;
    if (every_share_counts || all) {
      add_shares<vectors, false>(energy, divisors, fetched, work.smallest, sum);
    } else {
      add_shares<vectors, true>(energy, divisors, fetched, work.smallest, sum);
    }
  }
  for (int j = 0; j < vectors; ++j) store(layer + j * lanes, sum[j]);
}

template <class Law, bool every_share_counts>
void add_everywhere(const UpdateWork<Law>& work) {
  std::int64_t k = 0;
  const auto whole = [&](int vectors) { return k + vectors * lanes <= work.cells; };
  for (; whole(sums_in_registers); k += sums_in_registers * lanes) {
    add<Law, sums_in_registers, every_share_counts>(work, work.first + k, work.layer + k);
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
void update(const UpdateWork<Law>& work) {
  if (work.every_share_counts) {
    add_everywhere<Law, true>(work);
  } else {
    add_everywhere<Law, false>(work);
  }
}
template void update(const UpdateWork<SquareRootLaw>&);
template void update(const UpdateWork<GeneralLaw>&);

}  // namespace bombard::cpu
