#include "kernels/layer/update.hpp"

#include <bit>
#include <cmath>
#include <random>

#include "kernels/layer/attenuation.hpp"
#include "tests/kernels/base/instruction_sets.hpp"

using namespace bombard;

namespace {

constexpr float never_bites = 0.0F;

/// The rule, from its text: one cell, one impact.
void expect_cell(float& cell, const ScaledImpact& impact, float smallest, std::int64_t k) {
  std::int64_t apart = impact.position - k;
  if (apart < 0) apart = -apart;
  const float share = impact.energy / std::sqrt(static_cast<float>(apart + 1));
  if (share >= smallest || share <= -smallest) cell += share;
}

std::vector<float> by_the_rule(const std::vector<ScaledImpact>& impacts, float smallest,
                               std::int64_t first, std::vector<float> layer) {
  for (const ScaledImpact& impact : impacts) {
    for (std::size_t k = 0; k < layer.size(); ++k) {
      expect_cell(layer[k], impact, smallest, first + static_cast<std::int64_t>(k));
    }
  }
  return layer;
}

std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

LayerRule<SquareRootLaw> rule(float smallest) {
  return {{}, {1, 1}, smallest};
}

/// With computed divisors and with tables that go to several distances.
void expect_rule(const std::vector<ScaledImpact>& impacts, float smallest, std::int64_t first,
                 std::int64_t cells) {
  const std::vector<float> start(static_cast<std::size_t>(cells), 0.125F);
  const auto expected = bits_of(by_the_rule(impacts, smallest, first, start));
  std::vector<float> computed = start;
  cpu::update(rule(smallest), impacts, first, computed);
  EXPECT_EQ(bits_of(computed), expected) << cells << " cells from " << first;
  for (const std::int64_t farthest : {0, 1, 700, 5000}) {
    std::vector<float> layer = start;
    cpu::update(rule(smallest), impacts, first, cpu::DivisorTable<SquareRootLaw>({}, farthest),
                layer);
    EXPECT_EQ(bits_of(layer), expected)
        << cells << " cells from " << first << ", table up to " << farthest;
  }
}

std::vector<ScaledImpact> random_impacts(std::int64_t count, std::int64_t lowest,
                                         std::int64_t highest, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::vector<ScaledImpact> impacts;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto width = static_cast<std::uint64_t>(highest - lowest + 1);
    impacts.push_back({lowest + static_cast<std::int64_t>(bits() % width),
                       static_cast<float>(static_cast<std::int64_t>(bits() % 2001) - 1000) / 7});
  }
  return impacts;
}

}  // namespace

class Update : public InstructionSetTest {};
INSTANTIATE_TEST_SUITE_P(Sets, Update, testing::ValuesIn(cpu::offered_instruction_sets()),
                         name_of_set);

// Distances 3, 2, 1, 2, 3, 4 and energy 12: the root of 4 is 2, that of 1 is 1.
TEST_P(Update, ByHand) {
  std::vector<float> layer(6, 1.0F);
  cpu::update(rule(never_bites), std::vector<ScaledImpact>{{12, 12.0F}}, 10, layer);
  EXPECT_FLOAT_EQ(layer[0], 1 + 6.928203F);
  EXPECT_FLOAT_EQ(layer[1], 1 + 8.485281F);
  EXPECT_EQ(layer[2], 13.0F);
  EXPECT_FLOAT_EQ(layer[3], 1 + 8.485281F);
  EXPECT_FLOAT_EQ(layer[4], 1 + 6.928203F);
  EXPECT_EQ(layer[5], 7.0F);
}

TEST_P(Update, TheSmallestShareItselfCounts) {
  std::vector<float> layer(5, 0.0F);
  const std::vector<ScaledImpact> impacts{{0, 12.0F}, {0, -12.0F}, {0, 12.0F}};
  cpu::update(rule(6.0F), impacts, 0, layer);
  EXPECT_EQ(layer[3], 6.0F);
  EXPECT_EQ(layer[4], 0.0F);
}

TEST_P(Update, NothingToAddOrNoCells) {
  std::vector<float> layer(5, 2.0F);
  cpu::update(rule(never_bites), {}, 0, layer);
  EXPECT_EQ(layer, std::vector<float>(5, 2.0F));
  cpu::update(rule(never_bites), std::vector<ScaledImpact>{{0, 12.0F}}, 0, {});
}

TEST_P(Update, AwkwardSizes) {
  for (std::int64_t cells = 1; cells < 330; cells += cells < 70 ? 1 : 13) {
    expect_rule(random_impacts(9, -100, 500, 1), never_bites, 0, cells);
    expect_rule(random_impacts(9, -100, 500, 2), never_bites, 31, cells);
  }
  expect_rule(random_impacts(23, 0, 4098, 3), never_bites, 0, 4099);
}

TEST_P(Update, ThresholdsThatBite) {
  for (const float smallest : {0.5F, 3.0F, 20.0F, 1e9F}) {
    expect_rule(random_impacts(23, -200, 1300, 4), smallest, 0, 1025);
  }
}

TEST_P(Update, WhereFloatsAnd32BitsStopCounting) {
  for (const std::int64_t far :
       {std::int64_t{1} << 22, std::int64_t{1} << 24, std::int64_t{1} << 31, std::int64_t{1} << 53,
        std::int64_t{1} << 61}) {
    expect_rule(random_impacts(5, far - 300, far + 300, 5), never_bites, 0, 531);
    expect_rule(random_impacts(5, -far - 300, -far + 300, 6), never_bites, 0, 531);
    expect_rule(random_impacts(5, far - 300, far + 300, 7), never_bites, far, 531);
    expect_rule(random_impacts(5, 0, 600, 8), never_bites, far - 265, 531);
  }
}

namespace {

/// Pieces of a layer, and one impact list.
void expect_rule_in_pieces(const std::vector<ScaledImpact>& impacts, float smallest,
                           const std::vector<std::int64_t>& firsts, std::int64_t cells,
                           float start) {
  std::vector<std::vector<float>> layers;
  std::vector<cpu::LayerPiece> pieces;
  for (const std::int64_t first : firsts) {
    std::vector<float>& layer = layers.emplace_back(static_cast<std::size_t>(cells), start);
    pieces.push_back({first, layer});
  }
  cpu::update(rule(smallest), impacts, cpu::DivisorTable<SquareRootLaw>({}, 700), pieces);
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const std::vector<float> before(static_cast<std::size_t>(cells), start);
    EXPECT_EQ(bits_of(layers[i]), bits_of(by_the_rule(impacts, smallest, firsts[i], before)))
        << cells << " cells from " << firsts[i];
  }
}

std::vector<ScaledImpact> positive(std::vector<ScaledImpact> impacts) {
  for (ScaledImpact& impact : impacts) impact.energy = std::fabs(impact.energy);
  return impacts;
}

}  // namespace

// The shares are some spacings of the sum, some hundred, or less than one.
TEST_P(Update, LongStormsInSmallPieces) {
  for (const std::int64_t wide :
       {std::int64_t{3000}, std::int64_t{1} << 26, std::int64_t{1} << 45, std::int64_t{1} << 60}) {
    const auto impacts = positive(random_impacts(2000, 0, wide, 9));
    const std::vector<std::int64_t> firsts{0, impacts[700].position - 2, wide / 3, wide - 6};
    for (const std::int64_t cells : {1, 5, 16, 33}) {
      expect_rule_in_pieces(impacts, never_bites, firsts, cells, 0);
      expect_rule_in_pieces(impacts, never_bites, firsts, cells, 777);
    }
    expect_rule_in_pieces(impacts, impacts[0].energy / std::sqrt(static_cast<float>(wide / 5)),
                          firsts, 5, 0);
    expect_rule_in_pieces(random_impacts(2000, 0, wide, 10), never_bites, firsts, 5, 3);
  }
}

// From 1 to 2 floats are 2^-23 apart, and a share of 2^-24 is a tie: added to 1 it is lost, and
// added to the float behind 1 it counts twice. A share of 3 2^-25 counts as 2^-23.
TEST_P(Update, LongStormsOfTies) {
  constexpr std::int64_t far = std::int64_t{1} << 48;
  std::mt19937_64 bits(11);
  std::vector<ScaledImpact> impacts;
  for (int i = 0; i < 3000; ++i) {
    impacts.push_back({far, i >= 1500 && bits() % 500 == 0 ? 1.5F : 1.0F});
    if (i < 1000) impacts.back().energy = 0.75F;
  }
  expect_rule_in_pieces(impacts, never_bites, {0, 1}, 5, 1.0F);
  expect_rule_in_pieces(impacts, never_bites, {0, 1}, 5, 1.0F + 0x1p-23F);
  expect_rule_in_pieces(impacts, never_bites, {0, 1}, 5, 2.0F - 0x1p-14F);
}

// Shares as near as may be to the middle between two floats, on either side: a bound on a share
// that is not quite one rounds it to the wrong side.
TEST_P(Update, LongStormsOfNearTies) {
  std::mt19937_64 bits(12);
  std::vector<ScaledImpact> impacts;
  for (int i = 0; i < 6000; ++i) {
    const auto position = static_cast<std::int64_t>((std::uint64_t{1} << 50) + (bits() >> 12));
    const float root = std::sqrt(static_cast<float>(position + 1));
    const float middle = static_cast<float>(2 * (bits() % 8) + 1) * 0x1p-24F;
    float energy = root * middle;
    while (energy / root == middle) {
      energy = std::nextafter(energy, i % 2 == 0 ? 0.0F : HUGE_VALF);
    }
    impacts.push_back({position, energy});
  }
  expect_rule_in_pieces(impacts, never_bites, {0, 1, 7, 70, 700, 7000}, 5, 1.0F);
}

// More pieces than are taken together, some of them with impacts of their own; the sums pass
// several powers of two at different times.
TEST_P(Update, LongStormsInManyPieces) {
  constexpr std::int64_t wide = std::int64_t{1} << 50;
  const auto impacts = positive(random_impacts(5000, 0, wide, 13));
  std::vector<std::int64_t> firsts;
  for (std::int64_t i = 0; i < 5000; ++i) firsts.push_back(i * (wide / 5000));
  for (std::size_t i = 0; i < 5000; i += 50) firsts[i] = impacts[i].position - 1;
  expect_rule_in_pieces(impacts, never_bites, firsts, 3, 0);
}

// With a tolerance sums end no lower, and little higher.
TEST_P(Update, LongStormsThatMayCountTooHigh) {
  constexpr std::int64_t wide = std::int64_t{1} << 50;
  const auto impacts = positive(random_impacts(5000, 0, wide, 14));
  constexpr std::int64_t count = 500;
  std::vector<float> exact(2 * count, 1e-4F), above = exact;
  std::vector<cpu::LayerPiece> pieces, pieces_above;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first =
        i % 5 == 0 ? impacts[static_cast<std::size_t>(i)].position : i * (wide / count);
    pieces.push_back({first, std::span(exact).subspan(static_cast<std::size_t>(2 * i), 2)});
    pieces_above.push_back({first, std::span(above).subspan(static_cast<std::size_t>(2 * i), 2)});
  }
  constexpr float tolerance = 1e-8F;
  cpu::update(rule(never_bites), impacts, {}, pieces);
  cpu::update(rule(never_bites), impacts, {}, pieces_above, tolerance);
  EXPECT_NE(bits_of(above), bits_of(exact));
  for (std::size_t k = 0; k < exact.size(); ++k) {
    EXPECT_GE(above[k], exact[k]);
    EXPECT_LE(above[k], exact[k] * 1.001F + 5000 * tolerance);
  }
}
