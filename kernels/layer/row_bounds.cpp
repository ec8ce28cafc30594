#include "kernels/layer/row_bounds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/base/vector.hpp"

namespace bombard::cpu {

namespace {

// This number of impacts is taken together: their shares are computed in vectors.
constexpr std::size_t impacts_together = 256;

struct Shares {
  float least[impacts_together], most[impacts_together];
};

/// The shares that count, at the two ends of the row.
template <class Law>
[[gnu::always_inline]] inline void shares_at_ends(LayerRule<Law> rule, const ScaledImpact* impacts,
                                                  std::size_t count, CellRange cells,
                                                  Shares* shares) {
  for (std::size_t i = 0; i < count; ++i) {
    const float a = rule.share(impacts[i].energy, distance(impacts[i].position, cells.begin));
    const float b = rule.share(impacts[i].energy, distance(impacts[i].position, cells.end - 1));
    const float first = counts(a, rule.smallest) ? a : 0, last = counts(b, rule.smallest) ? b : 0;
    shares->least[i] = std::min(first, last);
    shares->most[i] = std::max(first, last);
  }
}

/// Whether each share from `least` to `most` adds the same to each sum from `lowest` on. No sum
/// exceeds `highest` afterwards. It does where all sums are in one binade, and the shares are the
/// same number of its units, none of them a tie (docs/methods.md, Counting).
bool adds_the_same(float least, float most, float lowest, float highest) {
  constexpr int fraction_bits = std::numeric_limits<float>::digits - 1;
  const std::uint32_t binade = std::bit_cast<std::uint32_t>(lowest) >> fraction_bits;
  // The unit and its inverse are normal numbers.
  constexpr std::uint32_t lowest_binade = 30, highest_binade = 220;
  if (binade != std::bit_cast<std::uint32_t>(highest) >> fraction_bits || binade < lowest_binade ||
      binade > highest_binade) {
    return false;
  }
  constexpr std::uint32_t bias = 127;
  const float units = std::bit_cast<float>((2 * bias + fraction_bits - binade) << fraction_bits);
  const float a = least * units, b = most * units, count = std::rint(a);
  return count == std::rint(b) && std::abs(a - count) != 0.5F && std::abs(b - count) != 0.5F;
}

}  // namespace

template <class Law>
void RowBounds::add(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts) {
  Shares shares;
  for (; !impacts.empty(); impacts = impacts.subspan(std::min(impacts_together, impacts.size()))) {
    const std::size_t count = std::min(impacts_together, impacts.size());
    by_widest<shares_at_ends<Law>>(rule, impacts.data(), count, cells_, &shares);
    for (std::size_t i = 0; i < count; ++i) {
      if (cells_.contains(impacts[i].position)) {
        most_ = std::numeric_limits<float>::infinity();
        may_rise_ = may_fall_ = true;
        return;
      }
      const float lowest = least_;
      least_ += shares.least[i];
      most_ += shares.most[i];
      if (shares.least[i] == shares.most[i] ||
          adds_the_same(shares.least[i], shares.most[i], lowest, most_)) {
        continue;
      }
      (impacts[i].position < cells_.begin ? may_fall_ : may_rise_) = true;
    }
  }
}
template void RowBounds::add(const LayerRule<SquareRootLaw>&, std::span<const ScaledImpact>);
template void RowBounds::add(const LayerRule<GeneralLaw>&, std::span<const ScaledImpact>);

void RowBounds::relax() {
  least_ = (least_ + least_ + least_) / 3.0F;
  most_ = (most_ + most_ + most_) / 3.0F;
  cells_ = {cells_.begin + 1, cells_.end - 1};
}

}  // namespace bombard::cpu
