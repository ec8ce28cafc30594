// A layer cut into slabs that exchange states, against the whole layer.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "tests/random_storms.hpp"

namespace bombard {
namespace {

constexpr double scale = 0.25, error = 1e-12;

/// A layer cut before certain cells. Each slab holds `margin` cells more on either side.
class CutLayer {
 public:
  CutLayer(std::int64_t cells, const std::vector<std::int64_t>& cuts, std::int64_t margin)
      : cells_(cells) {
    std::int64_t begin = 0;
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
      const std::int64_t end = i < cuts.size() ? cuts[i] : cells;
      const std::int64_t first = std::max<std::int64_t>(begin - margin, 0);
      const Slab slab{first, std::min(end + margin, cells) - first, cells};
      slabs_.emplace_back(slab, square_root_attenuation, scale, error, 2);
      own_.push_back({begin, end, first});
      begin = end;
    }
  }

  /// Positions count from the first cell of the whole layer.
  void apply(const std::vector<Impact>& deposits, const std::vector<std::int64_t>& reaches = {}) {
    for (std::size_t i = 0; i < slabs_.size(); ++i) {
      std::vector<Impact> here = deposits;
      for (std::size_t d = 0; d < here.size(); ++d) {
        if (!reaches.empty() && !concerns(slabs_[i], here[d].position, reaches[d])) {
          here[d].energy = 0;
        }
      }
      slabs_[i].gather({.impacts = here, .reaches = reaches, .origin = own_[i].first});
    }
    std::vector<ComingIn> in(slabs_.size());
    for (std::size_t i = 0; i + 1 < slabs_.size(); ++i) {
      if (own_[i + 1].first == 0) continue;  // the margin reaches the end of the layer
      in[i + 1].from_left = slabs_[i].leaving_right(slabs_[i + 1].borders().padded.begin);
      if (in[i].from_left) slabs_[i].borders().pass_on(*in[i].from_left, *in[i + 1].from_left);
    }
    for (std::size_t i = slabs_.size() - 1; i > 0; --i) {
      if (own_[i - 1].first + slabs_[i - 1].cells() == cells_) continue;
      in[i - 1].from_right = slabs_[i].leaving_left(slabs_[i - 1].borders().padded.end);
      if (in[i].from_right) slabs_[i].borders().pass_on(*in[i].from_right, *in[i - 1].from_right);
    }
    for (std::size_t i = 0; i < slabs_.size(); ++i) slabs_[i].apply_gathered(in[i]);
  }

  /// Cells that a slab answers for, against those of the whole layer; `magnitude` is the same layer
  /// of absolute energies, `cut` the sum of |share| where deposits have ended.
  void expect_same(const cpu::ConvolvedLayer& whole, const cpu::ConvolvedLayer& magnitude,
                   double cut = 0) const {
    for (std::size_t i = 0; i < slabs_.size(); ++i) {
      const cpu::ConvolvedLayer& slab = slabs_[i];
      const double tolerance = whole.relative_error() + slab.relative_error();
      const double beyond = (whole.cut_error() + slab.cut_error()) * cut;
      for (std::int64_t k = own_[i].begin; k < own_[i].end; ++k) {
        const std::int64_t here = k - own_[i].first;
        ASSERT_NEAR(slab.value(here), whole.value(k), tolerance * magnitude.value(k) + beyond) << k;
      }
    }
  }

 private:
  /// Whether a slab has to be given a deposit: it lies between its borders, or outside the layer,
  /// or it ends between them or within two chunks.
  bool concerns(const cpu::ConvolvedLayer& slab, std::int64_t position, std::int64_t reach) const {
    const CellRange padded = slab.borders().padded;
    const auto near = [&](std::int64_t cell, std::int64_t cells) {
      return cell >= padded.begin - cells && cell < padded.end + cells;
    };
    return position < 0 || position >= cells_ || near(position, 0) || near(position + reach, 128) ||
           near(position - reach, 128);
  }

  struct Own {
    std::int64_t begin, end;
    std::int64_t first;  ///< cell that the slab holds
  };
  std::int64_t cells_;
  std::vector<Own> own_;
  std::vector<cpu::ConvolvedLayer> slabs_;
};

class Slabs : public testing::TestWithParam<std::vector<std::int64_t>> {};

// Cuts in the first block of the layer, in its last, at a border of blocks and beside one; so near
// an end that the slab's margin reaches it; two, three and four slabs.
INSTANTIATE_TEST_SUITE_P(
    Cuts, Slabs,
    testing::Values(std::vector<std::int64_t>{64}, std::vector<std::int64_t>{128},
                    std::vector<std::int64_t>{8192}, std::vector<std::int64_t>{8128},
                    std::vector<std::int64_t>{12352}, std::vector<std::int64_t>{19968},
                    std::vector<std::int64_t>{640, 16448},
                    std::vector<std::int64_t>{128, 192, 19904}));

TEST_P(Slabs, AreTheWholeLayer) {
  constexpr std::int64_t cells = 20'011, margin = 64;
  std::mt19937_64 random(17);
  CutLayer cut(cells, GetParam(), margin);
  cpu::ConvolvedLayer whole(cells, square_root_attenuation, scale, error),
      magnitude(cells, square_root_attenuation, scale, error);
  for (const std::int64_t count : {7, 3000, 40'000}) {
    // Far outside, too: then the exponentials change.
    const std::int64_t beyond = count == 3000 ? 10 * cells : 100;
    std::vector<Impact> deposits = random_impacts(random, count, -beyond, cells + beyond, true);
    cut.apply(deposits);
    whole.apply({deposits});
    for (Impact& d : deposits) d.energy = std::abs(d.energy);
    magnitude.apply({deposits});
    cut.expect_same(whole, magnitude);
  }
}

TEST_P(Slabs, AreTheWholeLayerWhereDepositsEnd) {
  constexpr std::int64_t cells = 20'011, margin = 64;
  std::mt19937_64 random(19);
  CutLayer cut(cells, GetParam(), margin);
  cpu::ConvolvedLayer whole(cells, square_root_attenuation, scale, error),
      magnitude(cells, square_root_attenuation, scale, error);
  double of_cuts = 0;
  for (const std::int64_t count : {1, 300, 5000}) {
    std::vector<Impact> deposits = random_impacts(random, count, -9000, cells + 9000, true);
    std::vector<std::int64_t> reaches;
    for (const Impact& d : deposits) {
      // At the cut into slabs or near it, on either side; or anywhere.
      const std::int64_t to_cut = std::abs(GetParam().front() - d.position);
      const auto away = static_cast<std::int64_t>(random() % 600) - 300;
      reaches.push_back(random() % 2 == 0 ? std::max<std::int64_t>(to_cut + away, 0)
                                          : static_cast<std::int64_t>(random() % 12'000));
      of_cuts += scale * std::abs(static_cast<double>(d.energy)) /
                 std::sqrt(static_cast<double>(reaches.back()) + 1);
    }
    cut.apply(deposits, reaches);
    whole.apply({deposits, reaches});
    for (Impact& d : deposits) d.energy = std::abs(d.energy);
    magnitude.apply({deposits, reaches});
    cut.expect_same(whole, magnitude, of_cuts);
  }
}

/// Two slabs of 1000 cells.
class TwoSlabs : public testing::Test {
 protected:
  cpu::ConvolvedLayer left{Slab{0, 512, 1000}, square_root_attenuation, scale, error};
  cpu::ConvolvedLayer right{Slab{448, 552, 1000}, square_root_attenuation, scale, error};
  const std::vector<Impact> deposits{{300, 1000}};
};

TEST_F(TwoSlabs, BordersByHand) {
  // A chunk of 64 cells before a slab's first cell; with it and one behind the last, a multiple of
  // 256 cells: 768.
  EXPECT_EQ(left.borders().padded, (CellRange{-64, 704}));
  EXPECT_EQ(right.borders().padded, (CellRange{384, 1152}));
}

TEST_F(TwoSlabs, WhatLeavesByHand) {
  // States are those of sum of w exp(-a n) = n^-1/2 / scale at n = distance + 1: a source at 300 is
  // 84 cells from the border at 384, and what has passed on is decayed.
  left.gather({deposits});
  const BorderStates near = left.leaving_right(384);
  const BorderStates far = left.leaving_right(704);
  EXPECT_EQ(near.border, 384);
  BorderStates passed = left.leaving_left(704);  // nothing is behind
  for (const double state : passed.energies) EXPECT_EQ(state, 0);
  left.borders().pass_on(near, passed);
  for (std::size_t t = 0; t < far.energies.size(); ++t) {
    EXPECT_NEAR(passed.energies[t], far.energies[t], 1e-12 * std::abs(near.energies[t]));
    EXPECT_LE(far.energies[t], near.energies[t]);
  }
  EXPECT_GT(near.energies[0], 0);
}

TEST_F(TwoSlabs, AWrongOrderIsRefused) {
  left.gather({deposits});
  EXPECT_THROW(left.gather({deposits}), std::logic_error);
  EXPECT_THROW(left.cover(0, 1'000'000'000), std::logic_error);
  // Without what comes in nothing is applied, and the storm is there still.
  EXPECT_THROW(left.apply_gathered(), std::invalid_argument);
  right.gather({deposits});
  const ComingIn in{{}, right.leaving_left(left.borders().padded.end)};
  left.apply_gathered(in);
  EXPECT_THROW(left.apply_gathered(in), std::logic_error);
  EXPECT_THROW(left.leaving_right(384), std::logic_error);
  // A cleared layer has forgotten its storm.
  right.clear();
  EXPECT_NO_THROW(right.gather({deposits}));
}

TEST_F(TwoSlabs, StatesThatDoNotFitAreRefused) {
  left.gather({deposits});
  EXPECT_THROW(left.leaving_right(400), std::invalid_argument);
  EXPECT_THROW(left.leaving_right(768), std::invalid_argument);
  const BorderStates at_384 = left.leaving_right(384), at_448 = left.leaving_right(448);
  right.gather({deposits});
  EXPECT_THROW(right.apply_gathered({at_448, {}}), std::invalid_argument);
  EXPECT_THROW(right.apply_gathered({at_384, at_384}), std::invalid_argument);
  right.clear();
  right.cover(0, 1'000'000);
  right.gather({deposits});
  EXPECT_THROW(right.apply_gathered({at_384, {}}), std::invalid_argument);
  left.clear();
  left.cover(0, 1'000'000);
  left.gather({deposits});
  EXPECT_NO_THROW(right.apply_gathered({left.leaving_right(384), {}}));
}

TEST_F(TwoSlabs, UncertaintiesAreOfWholeLayers) {
  EXPECT_THROW(left.track_uncertainty(0), std::logic_error);
  cpu::ConvolvedLayer whole(1000, square_root_attenuation, scale, error);
  EXPECT_THROW(whole.gather({deposits, {}, StormUncertainty{}}), std::logic_error);
  whole.track_uncertainty(0);
  EXPECT_THROW(whole.gather({deposits}), std::logic_error);
  whole.gather({deposits, {}, StormUncertainty{}});
  EXPECT_THROW(whole.track_uncertainty(0), std::logic_error);
}

// They would become subnormal on their way, and slow; the smallest would never vanish.
TEST(SlabOfLayer, StatesTooSmallToCountEndAtTheNextBlock) {
  constexpr std::int64_t block = 128 * 64;  // cells
  const auto value_in_third_block = [](double state) {
    const Slab slab{64, 3 * block, 4 * block};
    cpu::ConvolvedLayer layer(slab, square_root_attenuation, scale, error);
    layer.gather({});
    ComingIn in = layer.borders().nothing_coming_in();
    std::ranges::fill(in.from_left->energies, state);
    layer.apply_gathered(in);
    EXPECT_GT(layer.value(0), 0);
    return layer.value(2 * block + 100);
  };
  EXPECT_GT(value_in_third_block(1e-270), 0);
  EXPECT_EQ(value_in_third_block(1e-300), 0);
}

TEST(SlabOfLayer, BeginsAtAChunkOfTheWholeLayer) {
  EXPECT_THROW(cpu::ConvolvedLayer({32, 100, 1000}, square_root_attenuation, scale, error),
               std::invalid_argument);
  EXPECT_THROW(cpu::ConvolvedLayer({64, 1000, 1000}, square_root_attenuation, scale, error),
               std::invalid_argument);
  EXPECT_THROW(cpu::ConvolvedLayer({64, 0, 1000}, square_root_attenuation, scale, error),
               std::invalid_argument);
}

}  // namespace
}  // namespace bombard
