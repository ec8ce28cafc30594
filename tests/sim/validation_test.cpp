#include "sim/validation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bombard {
namespace {

/// Answers from a script: after storm i the layer and the maximum written down for it.
class ScriptedEngine : public Engine {
 public:
  struct State {
    Maximum maximum;
    std::vector<float> layer;
  };
  explicit ScriptedEngine(std::vector<State> states) : states_(std::move(states)) {}

  std::vector<Maximum> apply(std::span<const Storm> storms) override {
    std::vector<Maximum> maxima;
    for (std::size_t i = 0; i < storms.size(); ++i)
      maxima.push_back(states_.at(applied_++).maximum);
    return maxima;
  }
  void reset() override { applied_ = 0; }
  std::vector<float> layer() const override { return states_.at(applied_ - 1).layer; }

 private:
  std::vector<State> states_;
  std::size_t applied_ = 0;
};

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

TEST(CompareEngines, StormByStorm) {
  const std::vector<Storm> storms{{"a", {{1, 5}}}, {"b", {}}, {"c", {{2, 7}, {0, 1}}}};
  ScriptedEngine reference({{{1, 5}, {0, 5, 0}}, {{1, 4}, {1, 4, 1}}, {{1, 9}, {2, 9, 3}}});
  ScriptedEngine engine({{{1, 5}, {0, 5, 0}}, {{1, 4}, {1, 4, 2}}, {{2, 9}, {2, 9, 3}}});

  std::vector<std::string> done;
  const auto comparisons =
      compare_engines(engine, reference, storms,
                      [&](std::span<const Storm> batch) { done.push_back(batch.front().name); });

  ASSERT_EQ(comparisons.size(), 3U);
  EXPECT_EQ(comparisons[0].file, "a");
  EXPECT_EQ(comparisons[0].impacts, 1);
  EXPECT_TRUE(comparisons[0].agree());
  // The maxima agree, one cell does not.
  EXPECT_TRUE(comparisons[1].maxima_agree());
  EXPECT_EQ(comparisons[1].layer.differing_cells, 1);
  EXPECT_FALSE(comparisons[1].agree());
  // The layers agree, the answers do not.
  EXPECT_EQ(comparisons[2].layer.differing_cells, 0);
  EXPECT_EQ(comparisons[2].answer.position, 2);
  EXPECT_EQ(comparisons[2].reference.position, 1);
  EXPECT_FALSE(comparisons[2].agree());
  EXPECT_EQ(done, (std::vector<std::string>{"a", "b", "c"}));

  EXPECT_FALSE((ValidationResult{"fake", "", 3, comparisons}.agree()));
  EXPECT_TRUE((ValidationResult{"fake", "", 3, {comparisons[0]}}.agree()));
}

}  // namespace
}  // namespace bombard
