#include "kernels/update.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/attenuation.hpp"
#include "kernels/vector.hpp"

namespace bombard::cpu {

namespace {

/// The impacts of a storm and what all cells need to know of them.
template <class Law>
struct Impacts {
  std::span<const ScaledImpact> impacts;
  float smallest;
  const DivisorTable<Law>& table;
};

/// Whether every share of every impact counts in cells first .. last. A share does not grow with
/// the distance (energy / divisor(n), each rounding monotone), so the smallest energy at the
/// largest distance decides.
template <class Law>
bool every_share_counts(const Impacts<Law>& storm, std::int64_t first, std::int64_t last) {
  float weakest = std::numeric_limits<float>::infinity();
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  for (const ScaledImpact& impact : storm.impacts) {
    weakest = std::min(weakest, std::fabs(impact.energy));
    lowest = std::min(lowest, impact.position);
    highest = std::max(highest, impact.position);
  }
  const float farthest = std::max(distance(lowest, last), distance(highest, first));
  return counts(weakest / Law::divisor(farthest), storm.smallest);
}

/// divisor(|d + i| + 1) for i = 0 .. count-1.
template <class Law, int count>
[[gnu::always_inline]] inline void compute_divisors(std::int64_t d, float* divisors) {
  constexpr std::int64_t bound = std::numeric_limits<std::int32_t>::max() - 2 * count;
  if (d > -bound && d < bound) {
    for (std::int32_t i = 0; i < count; ++i) {
      const std::int32_t difference = static_cast<std::int32_t>(d) + i;
      divisors[i] =
          Law::divisor(static_cast<float>((difference < 0 ? -difference : difference) + 1));
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) divisors[i] = Law::divisor(distance(d + i, 0));
  }
}

/// Adds a storm to `vectors` vectors of cells, which stay in registers from the first impact to the
/// last. The quotient is the processor's division: exact by IEEE 754, and one a lane is all it
/// costs.
template <class Law, int bytes, int vectors, bool all_count>
[[gnu::always_inline]] inline void add(const Impacts<Law>& storm, std::int64_t first,
                                       float* layer) {
  using Floats = Vector<float, bytes>;
  constexpr int lanes = bytes / static_cast<int>(sizeof(float));
  constexpr int cells = vectors * lanes;
  float computed[cells];
  Floats sum[vectors];
  for (int j = 0; j < vectors; ++j) sum[j] = *reinterpret_cast<const Floats*>(layer + j * lanes);
  for (const ScaledImpact& impact : storm.impacts) {
    const std::int64_t d = first - impact.position;
    const float* divisors = computed;
    if (storm.table.holds(d, cells)) {
      divisors = storm.table.at(d);
    } else {
      compute_divisors<Law, cells>(d, computed);
    }
#pragma GCC unroll 16
    for (int j = 0; j < vectors; ++j) {
      const Floats share = impact.energy / *reinterpret_cast<const Floats*>(divisors + j * lanes);
      if constexpr (all_count) {
        sum[j] += share;
      } else {
        const auto counted = (share >= storm.smallest) | (share <= -storm.smallest);
        sum[j] = counted ? sum[j] + share : sum[j];
      }
    }
  }
  for (int j = 0; j < vectors; ++j) *reinterpret_cast<Floats*>(layer + j * lanes) = sum[j];
}

template <class Law, int bytes, int vectors, bool all_count>
[[gnu::always_inline]] inline void update_in_vectors(const Impacts<Law>& storm, std::int64_t first,
                                                     float* layer, std::int64_t cells) {
  constexpr int lanes = bytes / static_cast<int>(sizeof(float));
  std::int64_t k = 0;
  for (; k + vectors * lanes <= cells; k += vectors * lanes) {
    add<Law, bytes, vectors, all_count>(storm, first + k, layer + k);
  }
  for (; k + 4 * lanes <= cells; k += 4 * lanes) {
    add<Law, bytes, 4, all_count>(storm, first + k, layer + k);
  }
  for (; k + lanes <= cells; k += lanes) {
    add<Law, bytes, 1, all_count>(storm, first + k, layer + k);
  }
  if (k < cells) {
    float rest[lanes] = {};
    std::copy(layer + k, layer + cells, rest);
    add<Law, bytes, 1, all_count>(storm, first + k, rest);
    std::copy(rest, rest + (cells - k), layer + k);
  }
}

template <class Law, int bytes, int vectors>
[[gnu::always_inline]] inline void update_in_vectors(const Impacts<Law>& storm, std::int64_t first,
                                                     float* layer, std::int64_t cells) {
  if (every_share_counts(storm, first, first + cells - 1)) {
    update_in_vectors<Law, bytes, vectors, true>(storm, first, layer, cells);
  } else {
    update_in_vectors<Law, bytes, vectors, false>(storm, first, layer, cells);
  }
}

// Half of the registers that there are hold sums.
template <class Law>
BOMBARD_AVX512 void update_avx512(const Impacts<Law>& storm, std::int64_t first, float* layer,
                                  std::int64_t cells) {
  update_in_vectors<Law, 64, 16>(storm, first, layer, cells);
}
template <class Law>
BOMBARD_AVX2 void update_avx2(const Impacts<Law>& storm, std::int64_t first, float* layer,
                              std::int64_t cells) {
  update_in_vectors<Law, 32, 8>(storm, first, layer, cells);
}
template <class Law>
void update_baseline(const Impacts<Law>& storm, std::int64_t first, float* layer,
                     std::int64_t cells) {
  update_in_vectors<Law, 16, 8>(storm, first, layer, cells);
}

}  // namespace

template <class Law>
void update(std::span<const ScaledImpact> impacts, float smallest, std::int64_t first,
            const DivisorTable<Law>& table, std::span<float> layer) {
  if (impacts.empty() || layer.empty()) return;
  const auto add_storm = widest(update_avx512<Law>, update_avx2<Law>, update_baseline<Law>);
  add_storm({impacts, smallest, table}, first, layer.data(),
            static_cast<std::int64_t>(layer.size()));
}

template <class Law>
void update(std::span<const ScaledImpact> impacts, float smallest, std::int64_t first,
            std::span<float> layer) {
  update(impacts, smallest, first, DivisorTable<Law>(), layer);
}

template void update<SquareRootLaw>(std::span<const ScaledImpact>, float, std::int64_t,
                                    const DivisorTable<SquareRootLaw>&, std::span<float>);
template void update<SquareRootLaw>(std::span<const ScaledImpact>, float, std::int64_t,
                                    std::span<float>);

}  // namespace bombard::cpu
