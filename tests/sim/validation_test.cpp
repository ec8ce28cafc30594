#include "sim/validation.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sim/engines/engines.hpp"
#include "sim/plan.hpp"

namespace bombard {
namespace {

TEST(CompareLayers, CountsCellsThatDifferInAnyBit) {
  using Cells = std::vector<float>;
  const Cells reference{0, 2, -4, 3};
  struct Compared {
    Cells layer;
    std::int64_t differing_cells;
    double largest_relative_error;  // cells that are 0 have none
  };
  for (const Compared& of : {Compared{reference, 0, 0},
                             // The sign of zero and the last bit count.
                             {{-0.0F, 2, -0x1.000002p+2F, 3}, 2, 0x1p-23},
                             {{1, 2.5F, -3, 3}, 3, 0.25}}) {
    const LayerComparison found = compare_layers(of.layer, reference);
    EXPECT_EQ(found.differing_cells, of.differing_cells);
    EXPECT_EQ(found.largest_relative_error, of.largest_relative_error);
  }
}

TEST(Validation, StormByStorm) {
  const Storm storm{"a", {{1, 6}}};
  const Plan plan{.cells = 3, .storms = 3, .engine = "cpu_direct", .exactly_these = true};
  const auto expected = find_engine("reference")->make(engine_options(plan));
  Validation validation(plan);
  for (int i = 0; i < 3; ++i) {
    Maximum answer = expected->apply({storm.impacts});
    Layer layer = expected->layer();
    if (i == 1) std::get<std::vector<float>>(layer)[2] += 1;
    if (i == 2) answer.position = 2;
    const StormComparison found = validation.compare(storm, answer, i == 2 ? nullptr : &layer);
    EXPECT_EQ(found.file, "a");
    EXPECT_EQ(found.impacts, 1);
    EXPECT_EQ(found.answer, answer);
    EXPECT_EQ(found.reference.position, 1);
    EXPECT_EQ(found.maxima_agree, i != 2);
    EXPECT_EQ(found.layer.has_value(), i != 2);
    EXPECT_TRUE(i == 2 || found.layer->differing_cells == i);
    EXPECT_EQ(found.agree(), i == 0);
  }
}

// Two layers are compared; a fast engine has none.
TEST(Validation, CountsTheReferenceAndWhatIsCompared) {
  constexpr std::int64_t cells = 10'000'000;
  const std::int64_t reference =
      find_engine("reference")->bytes({.part = whole_layer(cells), .storms = 1});
  EXPECT_EQ(Validation::bytes({.cells = cells, .engine = "cpu_direct"}), reference + 4 * cells);
  EXPECT_EQ(Validation::bytes({.cells = cells, .engine = "cpu_fast"}), reference);
  EXPECT_GE(
      Validation::bytes({.cells = cells, .engine = "cpu_double", .precision = Precision::binary64}),
      64 * cells);
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

TEST(ReferenceInDouble, TheMaximumWithinATolerance) {
  ReferenceInDouble reference(21, {});
  const auto cell = [&](std::int64_t k) {
    return Maximum{k, static_cast<double>(reference.layer()[static_cast<std::size_t>(k)])};
  };
  const auto may_be = [&](const Maximum& answer) {
    return reference.may_be_maximum(answer, 1e-12);
  };
  reference.apply({"mirrored", {{5, 100}, {15, 100}}});
  const Maximum found = reference.maximum();
  ASSERT_EQ(found.position, 5);
  // The other one is as good, and so is a value that lies within the tolerance.
  for (const Maximum& right : {found, {15, found.value}, {5, found.value * (1 + 5e-13)}}) {
    EXPECT_TRUE(may_be(right)) << right.position;
  }
  // No peak, the end of the layer, and nothing at all where there is a peak.
  for (const Maximum& wrong : {Maximum{5, found.value * (1 + 2e-12)},
                               {5, found.value * (1 - 2e-12)},
                               cell(6),
                               cell(0),
                               {}}) {
    EXPECT_FALSE(may_be(wrong)) << wrong.position;
  }
  reference.apply({"one", {{15, 1}}});
  EXPECT_TRUE(may_be(reference.maximum()));
  EXPECT_FALSE(may_be(cell(5))) << "a smaller peak";
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
  EXPECT_NEAR(comparison.largest_relative_error, 10.0 / 9 * 1e-12, 1e-15);
}

}  // namespace
}  // namespace bombard
