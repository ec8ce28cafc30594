#include "kernels/layer/update.hpp"

#include <algorithm>
#include <cstddef>

#include "kernels/base/vector.hpp"
#include "kernels/share/computed_divisors.hpp"

namespace bombard::cpu {

namespace {

constexpr int lanes = vector_bytes / sizeof(float);
/// Half of AVX-512's registers, and half of AVX2's.
constexpr int sums_in_registers = vector_bytes == 64 ? 16 : 8;
using Floats = Vector<float, vector_bytes>;

[[gnu::always_inline]] inline Floats load(const float* from) {
  return *reinterpret_cast<const Floats*>(from);
}
[[gnu::always_inline]] inline void store(float* to, Floats values) {
  *reinterpret_cast<Floats*>(to) = values;
}

template <bool every_share_counts>
[[gnu::always_inline]] inline Floats added(Floats sum, Floats share, float smallest) {
  if constexpr (every_share_counts) return sum + share;
  return ((share >= smallest) | (share <= -smallest)) ? sum + share : sum;
}

/// Adds the shares of an impact to `vectors` vectors of cells, whose sums are in registers.
/// `fetched` is prefetched because it will be read soon.
template <bool every_share_counts, int vectors>
[[gnu::always_inline]] inline void add_shares(float energy, const float* divisors,
                                              const float* fetched, float smallest,
                                              Floats (&sum)[vectors]) {
  constexpr int floats_in_cache_line = 16;
#pragma GCC unroll 16
  for (int j = 0; j < vectors; ++j) {
    if (j * lanes % floats_in_cache_line == 0) __builtin_prefetch(fetched + j * lanes);
    sum[j] = added<every_share_counts>(sum[j], energy / load(divisors + j * lanes), smallest);
  }
}

/// Adds the impacts to `vectors` vectors of cells, which stay in registers from the first impact to
/// the last. Only one division for each cell is left, so the divisors must arrive in time: they are
/// fetched four impacts ahead, which is as long as the third-level cache takes.
template <bool every_share_counts, int vectors>
void add(std::span<const ScaledImpact> impacts, float smallest, const DivisorTable& table,
         std::int64_t first, float* layer) {
  constexpr int cells = vectors * lanes;
  constexpr std::size_t ahead = 4;
  const std::int64_t lowest = -table.farthest();
  const std::int64_t highest = table.farthest() + 1 - cells;
  const auto in_table = [&](std::int64_t d) { return d >= lowest && d <= highest; };

  // These are in registers; where a sanitizer keeps them in memory, Clang still expects alignment.
  alignas(sizeof(Floats)) Floats sum[vectors];
  for (int j = 0; j < vectors; ++j) sum[j] = load(layer + j * lanes);
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    const std::int64_t d = first - impacts[i].position;
    const float energy = impacts[i].energy;
    if (!in_table(d)) {
      float computed[cells];
      compute_divisors(d, cells, computed);
      add_shares<every_share_counts>(energy, computed, computed, smallest, sum);
      continue;
    }
    const std::size_t coming = i + ahead < impacts.size() ? i + ahead : i;
    const std::int64_t d_coming = first - impacts[coming].position;
    add_shares<every_share_counts>(energy, table.middle() + d,
                                   table.middle() + (in_table(d_coming) ? d_coming : d), smallest,
                                   sum);
  }
  for (int j = 0; j < vectors; ++j) store(layer + j * lanes, sum[j]);
}

template <bool every_share_counts>
void add_everywhere(std::span<const ScaledImpact> impacts, float smallest,
                    const DivisorTable& table, std::int64_t first, std::span<float> layer) {
  const std::int64_t cells = std::ssize(layer);
  std::int64_t k = 0;
  const auto add_vectors = [&]<int vectors>() {
    for (; k + vectors * lanes <= cells; k += vectors * lanes) {
      add<every_share_counts, vectors>(impacts, smallest, table, first + k, layer.data() + k);
    }
  };
  add_vectors.template operator()<sums_in_registers>();
  add_vectors.template operator()<4>();
  add_vectors.template operator()<1>();
  if (k < cells) {
    float rest[lanes] = {};
    std::copy(layer.begin() + k, layer.end(), rest);
    add<every_share_counts, 1>(impacts, smallest, table, first + k, rest);
    std::copy_n(rest, cells - k, layer.begin() + k);
  }
}

}  // namespace

void update(const LayerRule& rule, std::span<const ScaledImpact> impacts, bool every_share_counts,
            std::int64_t first, const DivisorTable& table, std::span<float> layer) {
  const auto& add_those = every_share_counts ? add_everywhere<true> : add_everywhere<false>;
  add_those(impacts, rule.smallest, table, first, layer);
}

}  // namespace bombard::cpu
