// The members of the rule's family: every engine against the oracle, in both editions, with other
// powers of the distance and with reaches that end at every awkward place. BOMBARD_CASES says how
// many random cases each engine runs (CONTRIBUTING.md).

#include <fmt/printf.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <random>

#include "bombard/read_storm.hpp"
#include "tests/random_storms.hpp"
#include "tests/sim/engines/against_oracle.hpp"
#include "tests/sim/engines/layer_of.hpp"

namespace {

using bombard::Impact;
using bombard::Storm;

class FamilyGenerator {
 public:
  explicit FamilyGenerator(std::uint64_t seed) : bits_(seed) {}

  Bombardment bombardment() {
    static constexpr std::array<std::int64_t, 20> sizes{1,    2,    3,    31,   63,   64,   65,
                                                        127,  129,  257,  521,  1025, 1791, 1793,
                                                        2053, 3000, 4097, 8191, 8257, 12289};
    static constexpr std::array quarters{1, 2, 4, 6, 8, 12};
    Bombardment bombardment{sizes[below(sizes.size())], {}};
    bombardment.rule.edition = 1 + static_cast<int>(below(2));
    bombardment.rule.quarters =
        below(4) == 0 ? 1 + static_cast<int>(below(16)) : quarters[below(quarters.size())];
    both_signs_ = below(3) == 0;
    const std::int64_t storms = 1 + below(5);
    for (std::int64_t i = 0; i < storms; ++i) {
      bombardment.storms.push_back(storm(bombardment.cells));
    }
    bombardment.rule.threshold = threshold(bombardment);
    return bombardment;
  }

  std::int64_t below(std::int64_t bound) { return ::below(bits_, bound); }

 private:
  Storm storm(std::int64_t cells) {
    Storm storm{"generated", {}};
    const std::int64_t impacts = below(4) == 0 ? below(400) : below(40);
    const std::int64_t spread = below(3);
    for (std::int64_t i = 0; i < impacts; ++i) {
      std::int64_t position = below(cells);
      // Where chunks, blocks and tiles begin, and outside.
      if (spread > 0 && below(4) == 0) position = position / 64 * 64 + below(3) - 1;
      if (spread > 1 && below(8) == 0) position = below(6 * cells) - 3 * cells;
      std::int32_t energy = 1 + static_cast<std::int32_t>(below(below(3) == 0 ? 1'000'000 : 150));
      if (both_signs_ && below(2) == 0) energy = -energy;
      if (below(50) == 0) energy = 0;
      storm.impacts.push_back({position, energy});
    }
    return storm;
  }

  /// The share of one of the energies at a distance where it then ends, give or take one.
  float threshold(const Bombardment& bombardment) {
    static constexpr std::array<std::int64_t, 16> reaches{
        1, 2, 63, 64, 65, 127, 128, 129, 192, 1000, 1791, 1792, 1984, 2048, 4096, 8192};
    const oracle::Rule& rule = bombardment.rule;
    const std::int64_t choice = below(8);
    if (choice == 0) return 0;
    if (choice == 1) return 0.001F;
    std::int32_t energy = 100;
    for (const Storm& storm : bombardment.storms) {
      if (!storm.impacts.empty()) energy = storm.impacts[below(storm.impacts.size())].energy;
    }
    const double n = choice < 5 ? static_cast<double>(reaches[below(reaches.size())])
                                : 1 + static_cast<double>(below(2 * bombardment.cells));
    const double scale = rule.edition == 1 ? 1e-3 : 1e3;
    const double share = std::abs(energy) * scale / std::pow(n, rule.quarters / 4.0);
    return static_cast<float>(share * (1 + 1e-7 * static_cast<double>(below(3))));
  }

  std::mt19937_64 bits_;
  bool both_signs_ = false;
};

}  // namespace

class RuleFamily : public EngineTest {};
INSTANTIATE_TEST_SUITE_P(Engines, RuleFamily, testing::ValuesIn(engines_under_test()), engine_name);

TEST_P(RuleFamily, GeneratedCasesFollowTheRule) {
  for (std::uint64_t seed = 1; seed <= cases(150); ++seed) {
    FamilyGenerator generator(seed);
    const Bombardment bombardment = generator.bombardment();
    SCOPED_TRACE(testing::Message()
                 << "seed " << seed << ", edition " << bombardment.rule.edition << ", power "
                 << bombardment.rule.quarters << "/4, T " << bombardment.rule.threshold << ", "
                 << bombardment.cells << " cells");
    const oracle::Result rule = by_the_rule(bombardment);
    expect_rule(GetParam(), bombardment, rule);
    expect_rule(GetParam(), bombardment, rule, 1 + generator.below(5), generator.below(2) == 0,
                static_cast<int>(1 + generator.below(3)));
    expect_rule_in_parts(GetParam(), bombardment, rule, 2 + generator.below(4));
    if (HasFailure()) return;
  }
}

// e = 1000 v / 5 = 200 v in the second edition, v / 1000 in the first.
TEST_P(RuleFamily, ByHand) {
  const std::vector<Storm> storms{{"a", {{2, 36}}}};
  const auto layer = [&](bombard::Edition edition, double power, float threshold) {
    const auto engine = GetParam().make({.part = bombard::whole_layer(5),
                                         .storms = 1,
                                         .rule = {edition, {.parameter = power}, threshold}});
    engine->apply(storms);
    return layer_of(*engine);
  };
  using enum bombard::Edition;
  // Shares 7200 / n: 2400, 3600, 7200, 3600, 2400; the neighbours' means.
  EXPECT_EQ(layer(second, 1, 0), (std::vector<float>{2400, 4400, 4800, 4400, 2400}));
  // 7200 / n^2: 800, 1800, 7200; 800 does not count when T / 5 is 801.
  EXPECT_EQ(layer(second, 2, 4000), (std::vector<float>{800, 9800 / 3.0F, 3600, 9800 / 3.0F, 800}));
  EXPECT_EQ(layer(second, 2, 4005), (std::vector<float>{0, 3000, 3600, 3000, 0}));
  // 0.036, 0.018, 0.012 by 1 / n; T is not divided by the cells: 0.012 does not count.
  const std::vector<float> first_edition = layer(first, 1, 0.0121F);
  EXPECT_EQ(first_edition[0], 0);
  EXPECT_FLOAT_EQ(first_edition[1], 0.018F);
  EXPECT_FLOAT_EQ(first_edition[2], 0.024F);
}

// More impacts and cells than the generated cases have.
TEST_P(RuleFamily, ManyImpactsOfTheFirstEdition) {
  std::mt19937 random(3);
  Bombardment bombardment{10'007, {}};
  bombardment.rule.edition = 1;
  for (int storm = 0; storm < 2; ++storm) {
    Storm& of = bombardment.storms.emplace_back();
    for (int i = 0; i < 3000; ++i) {
      of.impacts.push_back({static_cast<std::int64_t>(random() % 10'007),
                            static_cast<std::int32_t>(20 + random() % 60)});
    }
  }
  expect_rule(GetParam(), bombardment, by_the_rule(bombardment));
}

class FirstEditionWaves : public EngineTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(BOMBARD_FIRST_EDITION_WAVES)) {
      GTEST_SKIP() << "no waves of the first edition at " BOMBARD_FIRST_EDITION_WAVES;
    }
    EngineTest::SetUp();
  }

  /// `%d %f` for each storm, as the original program prints its result.
  static std::string result(std::int64_t cells, const std::vector<std::string>& files) {
    std::vector<Storm> storms;
    for (const std::string& file : files) {
      storms.push_back(bombard::read_storm(BOMBARD_FIRST_EDITION_WAVES "/" + file));
    }
    const auto engine = GetParam().make({.part = bombard::whole_layer(cells),
                                         .storms = static_cast<std::int64_t>(storms.size()),
                                         .rule = {.edition = bombard::Edition::first},
                                         .keep_layer = false});
    std::string text;
    for (const bombard::Maximum& maximum : engine->apply(storms)) {
      text += fmt::sprintf("%s%d %f", text.empty() ? "" : " ", maximum.position, maximum.value);
    }
    return text;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, FirstEditionWaves, testing::ValuesIn(engines_under_test()),
                         engine_name);

TEST_P(FirstEditionWaves, HaveTheOriginalProgramsDigits) {
  EXPECT_EQ(result(35, {"small_1", "small_2", "small_3"}), "18 4.675714 18 8.312488 18 8.336719");
  EXPECT_EQ(result(1, {"small_1"}), "0 0.000000");
  EXPECT_EQ(result(2, {"small_1"}), "0 0.000000");
  EXPECT_EQ(result(3000, {"cut_1", "cut_2", "cut_3"}), "1147 0.268562 1144 0.470019 1315 0.675378");
}

TEST_P(FirstEditionWaves, HaveTheOriginalProgramsDigitsOnLargerLayers) {
  if (GetParam().name == "reference") GTEST_SKIP() << "ten seconds with the reference";
  EXPECT_EQ(result(20'000, {"random_1", "random_2"}), "9936 27.561516 9912 54.874157");
  EXPECT_EQ(result(1'000'000, {"sparse_1"}), "403034 0.471759");
}
