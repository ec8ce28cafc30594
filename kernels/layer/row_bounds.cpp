#include "kernels/layer/row_bounds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace bombard::cpu {

namespace {

// This number of impacts is taken together: their shares are computed in vectors.
constexpr std::size_t impacts_together = 256;

enum Side : std::int32_t { left = 1, right = 2, inside = 4 };

/// What some impacts do to a row: their shares that count at its two ends, the smaller and the
/// larger one, and the bounds on all sums before them and after them.
struct Shares {
  std::int32_t side[impacts_together];
  float least[impacts_together], most[impacts_together];
  float lowest[impacts_together], highest[impacts_together];
};

template <class Law>
void find_shares(LayerRule<Law> rule, const ScaledImpact* impacts, std::size_t count,
                 CellRange cells, Shares* shares) {
  // Of the first cell and the last one; only the second loop is compiled to vectors.
  float energy[impacts_together], first_n[impacts_together], last_n[impacts_together];
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t position = impacts[i].position;
    shares->side[i] = position < cells.begin ? left : position >= cells.end ? right : inside;
    energy[i] = impacts[i].energy;
    first_n[i] = distance(position, cells.begin);
    last_n[i] = distance(position, cells.end - 1);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const float a = rule.share(energy[i], first_n[i]), b = rule.share(energy[i], last_n[i]);
    const float first = counts(a, rule.smallest) ? a : 0, last = counts(b, rule.smallest) ? b : 0;
    shares->least[i] = std::min(first, last);
    shares->most[i] = std::max(first, last);
  }
}

/// Whether each share from `least` to `most` adds the same to each sum from `lowest` on. No sum
/// exceeds `highest` afterwards. It does where all sums are in one binade, and the shares are the
/// same number of its units, none of them a tie (docs/methods.md, Counting).
[[gnu::always_inline]] inline bool adds_the_same(float least, float most, float lowest,
                                                 float highest) {
  constexpr std::uint32_t exponent = 0x7f800000;
  const auto low = std::bit_cast<std::uint32_t>(lowest);
  const auto high = std::bit_cast<std::uint32_t>(highest);
  const float start = std::bit_cast<float>(low & exponent);  // of the binade
  // Without branches, so that it is compiled to vectors. The unit and its inverse are normal.
  const int is_one_binade =
      int{((low ^ high) & exponent) == 0} & int{start >= 0x1p-100F} & int{start < 0x1p100F};
  const float units = 0x1p23F / start;
  const float a = least * units, b = most * units, count = std::rint(a);
  const int is_one_number = int{count == std::rint(b)} & int{std::abs(a - count) != 0.5F} &
                            int{std::abs(b - count) != 0.5F};
  return (int{least == most} | (is_one_binade & is_one_number)) != 0;
}

/// The sides with an impact that tilts the row.
std::int32_t sides_that_tilt(const Shares* shares, std::size_t count) {
  std::int32_t sides = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool same =
        adds_the_same(shares->least[i], shares->most[i], shares->lowest[i], shares->highest[i]);
    sides |= shares->side[i] & (same ? inside : left | right | inside);
  }
  return sides;
}

}  // namespace

template <class Law>
void RowBounds::add(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts) {
  Shares shares;
  while (!impacts.empty()) {
    const std::span<const ScaledImpact> some =
        impacts.first(std::min(impacts_together, impacts.size()));
    find_shares(rule, some.data(), some.size(), cells_, &shares);
    for (std::size_t i = 0; i < some.size(); ++i) {
      shares.lowest[i] = least_;
      least_ += shares.least[i];
      most_ += shares.most[i];
      shares.highest[i] = most_;
    }
    const Shares* const found = &shares;
    const std::int32_t sides = sides_that_tilt(found, some.size());
    may_fall_ = may_fall_ || (sides & (left | inside)) != 0;
    may_rise_ = may_rise_ || (sides & (right | inside)) != 0;
    if ((sides & inside) != 0) most_ = std::numeric_limits<float>::infinity();
    impacts = impacts.subspan(some.size());
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
