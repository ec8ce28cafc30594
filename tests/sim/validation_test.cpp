#include "sim/validation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sim/engines/engines.hpp"

namespace bombard {
namespace {

TEST(CompareLayers, CountsCellsThatDifferInAnyBit) {
  const std::vector<float> reference{0.0F, 1.0F, 2.0F, 3.0F};
  EXPECT_EQ(compare_layers(reference, reference).differing_cells, 0);
  // The sign of zero and the last bit count.
  const std::vector<float> layer{-0.0F, 1.0F, 0x1.000002p+1F, 3.0F};
  EXPECT_EQ(compare_layers(layer, reference).differing_cells, 2);
}

TEST(CompareLayers, AllowsForAnUncertainty) {
  const std::vector<float> reference{0.0F, 1.0F, 2.0F, 3.0F};
  const std::vector<float> layer{-0.0F, 1.5F, 2.0F, 2.0F};
  EXPECT_EQ(compare_layers(layer, reference, std::vector<float>{0, 0.5F, 0, 1}).differing_cells, 0);
  EXPECT_TRUE(compare_layers(layer, reference).bit_for_bit);
  EXPECT_FALSE(compare_layers(layer, reference, std::vector<float>(4, 1.0F)).bit_for_bit);
  EXPECT_EQ(compare_layers(layer, reference, std::vector<float>{0, 0.4F, 0, 0.9F}).differing_cells,
            2);
}

TEST(CompareLayers, TellsTheLargestRelativeError) {
  const std::vector<float> reference{0.0F, 2.0F, -4.0F, 3.0F};
  const std::vector<float> layer{1.0F, 2.5F, -3.0F, 3.0F};
  EXPECT_EQ(compare_layers(layer, reference, std::vector<float>(4, 2.0F)).largest_relative_error,
            0.25);
}

TEST(Compare, StormByStorm) {
  const Storm storm{"a", {{1, 6}}};
  const EngineOptions options{.part = whole_layer(3), .storms = 3};
  const auto expected = find_engine("reference")->make(options);
  const auto reference = find_engine("reference")->make(options);
  std::vector<StormComparison> comparisons;
  for (int i = 0; i < 3; ++i) {
    Answer answer{expected->apply({&storm, 1}).at(0), expected->layer()};
    if (i == 1) std::get<std::vector<float>>(answer.layer)[2] += 1;
    if (i == 2) answer.maximum.position = 2;
    comparisons.push_back(compare(storm, answer, *reference));
  }

  EXPECT_EQ(comparisons[0].file, "a");
  EXPECT_EQ(comparisons[0].impacts, 1);
  EXPECT_TRUE(comparisons[0].agree());
  // The maxima agree, but one cell does not.
  EXPECT_TRUE(comparisons[1].maxima_agree);
  EXPECT_EQ(comparisons[1].layer.differing_cells, 1);
  EXPECT_FALSE(comparisons[1].agree());
  // The layers agree, but the answers do not.
  EXPECT_EQ(comparisons[2].layer.differing_cells, 0);
  EXPECT_EQ(comparisons[2].answer.position, 2);
  EXPECT_EQ(comparisons[2].reference.position, 1);
  EXPECT_FALSE(comparisons[2].agree());

  EXPECT_FALSE((ValidationResult{{}, comparisons}.agree()));
  EXPECT_TRUE((ValidationResult{{}, {comparisons[0]}}.agree()));
}

// One impact of energy 5 (thousands) in the middle of 5 cells: e = 1000, shares e/sqrt(n).
TEST(ReferenceInDouble, OneImpactByHand) {
  ReferenceInDouble reference(5, {});
  reference.apply({"one", {{2, -5}}});
  const std::vector<double> expected{577.35026918962576, 761.48568345872445, 804.73785412436502,
                                     761.48568345872445, 577.35026918962576};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_DOUBLE_EQ(static_cast<double>(reference.layer()[k]), -expected[k]);
    EXPECT_DOUBLE_EQ(static_cast<double>(reference.magnitudes()[k]), expected[k]);
  }
  EXPECT_EQ(reference.maximum(), Maximum{});  // all below 0
  reference.apply({"two", {{2, 10}}});
  EXPECT_EQ(reference.maximum().position, 2);
}

TEST(ReferenceInDouble, PositionsOutside) {
  ReferenceInDouble reference(2, {});
  reference.apply({"outside", {{-14, 2}, {27, 4}}});  // e = 1000 at 15, 16; 2000 at 28, 27
  EXPECT_DOUBLE_EQ(static_cast<double>(reference.layer()[0]),
                   1000 / std::sqrt(15.0) + 2000 / std::sqrt(28.0));
  EXPECT_DOUBLE_EQ(static_cast<double>(reference.layer()[1]), 250 + 2000 / std::sqrt(27.0));
}

TEST(ReferenceInDouble, TheMaximumWithinATolerance) {
  ReferenceInDouble reference(21, {});
  reference.apply({"mirrored", {{5, 100}, {15, 100}}});
  const Maximum found = reference.maximum();
  ASSERT_EQ(found.position, 5);
  EXPECT_TRUE(reference.may_be_maximum(found, 1e-12));
  // The other one is as good, and so is a value that lies within the tolerance.
  EXPECT_TRUE(reference.may_be_maximum({15, found.value}, 1e-12));
  EXPECT_TRUE(reference.may_be_maximum({5, found.value * (1 + 5e-13)}, 1e-12));
  EXPECT_FALSE(reference.may_be_maximum({5, found.value * (1 + 2e-12)}, 1e-12));
  EXPECT_FALSE(reference.may_be_maximum({5, found.value * (1 - 2e-12)}, 1e-12));
  // No peak, the end of the layer, nothing at all where there is a peak, and a smaller peak.
  EXPECT_FALSE(reference.may_be_maximum({6, static_cast<double>(reference.layer()[6])}, 1e-12));
  EXPECT_FALSE(reference.may_be_maximum({0, static_cast<double>(reference.layer()[0])}, 1e-12));
  EXPECT_FALSE(reference.may_be_maximum({}, 1e-12));
  reference.apply({"one", {{15, 1}}});
  EXPECT_TRUE(reference.may_be_maximum(reference.maximum(), 1e-12));
  EXPECT_FALSE(reference.may_be_maximum({5, static_cast<double>(reference.layer()[5])}, 1e-12));
}

TEST(ReferenceInDouble, LayersWithinATolerance) {
  ReferenceInDouble reference(3, {});
  reference.apply({"one", {{1, 5}, {1, -4}}});
  std::vector<double> layer;
  for (const long double value : reference.layer()) layer.push_back(static_cast<double>(value));
  EXPECT_EQ(compare_layers(layer, reference, 1e-12).differing_cells, 0);
  // Magnitudes are nine times the values here, and so is the error that a cell may have.
  layer[0] *= 1 + 8e-12;
  layer[1] *= 1 + 10e-12;
  const LayerComparison comparison = compare_layers(layer, reference, 1e-12);
  EXPECT_EQ(comparison.differing_cells, 1);
  EXPECT_FALSE(comparison.bit_for_bit);
  EXPECT_NEAR(comparison.largest_relative_error, 10.0 / 9 * 1e-12, 1e-15);
}

}  // namespace
}  // namespace bombard
