#include <fmt/printf.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "bombard/read_storm.hpp"
#include "tests/sim/engines/against_oracle.hpp"

namespace {

using bombard::Maximum;

/// file names stem1, stem2, ...
std::vector<std::string> waves(const std::string& stem, int count) {
  std::vector<std::string> files;
  for (int i = 1; i <= count; ++i) files.push_back(stem + std::to_string(i));
  return files;
}

/// `%d %f` per storm, as the public program prints its result.
std::string printed(const std::vector<Maximum>& maxima) {
  std::string text;
  for (const auto& maximum : maxima) {
    if (!text.empty()) text += ' ';
    text += fmt::sprintf("%d %f", maximum.position, maximum.value);
  }
  return text;
}

}  // namespace

class PublicWaves : public EngineTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(BOMBARD_PUBLIC_WAVES)) {
      GTEST_SKIP() << "no public waves at " BOMBARD_PUBLIC_WAVES;
    }
    EngineTest::SetUp();
  }

  static Bombardment read(std::int64_t cells, const std::vector<std::string>& files) {
    Bombardment bombardment{cells, {}};
    for (const std::string& file : files) {
      bombardment.storms.push_back(bombard::read_storm(BOMBARD_PUBLIC_WAVES "/" + file));
    }
    return bombardment;
  }

  static std::string result(const Bombardment& bombardment) {
    const auto engine =
        GetParam().make({.part = bombard::whole_layer(bombardment.cells),
                         .storms = static_cast<std::int64_t>(bombardment.storms.size()),
                         .keep_layer = false});
    return printed(engine->apply(bombardment.storms));
  }
};

TEST_P(PublicWaves, Test01) {
  const auto bombardment = read(
      35, {"test_01_a35_p8_w1", "test_01_a35_p7_w2", "test_01_a35_p5_w3", "test_01_a35_p8_w4"});
  EXPECT_EQ(result(bombardment), "14 10913.346680 26 14270.079102 10 17167.673828 3 31323.224609");
  expect_rule(GetParam(), bombardment, by_the_rule(bombardment));
}

TEST_P(PublicWaves, Test02) {
  EXPECT_EQ(result(read(30000, waves("test_02_a30k_p20k_w", 6))),
            "17197 1103.167480 17223 2183.092773 17229 3818.229248 17222 5436.966797 "
            "15849 7602.401855 15924 9764.638672");
}

TEST_P(PublicWaves, Test02FirstStormBitForBit) {
  const auto bombardment = read(30000, waves("test_02_a30k_p20k_w", 1));
  expect_rule(GetParam(), bombardment, by_the_rule(bombardment));
}

// Impacts where the borders of 2 and 4 parts lie.
TEST_P(PublicWaves, Test03To06WholeAndInParts) {
  const std::vector<std::pair<const char*, const char*>> runs{
      {"test_03_a20_p4_w1", "10 12966.631836"},
      {"test_04_a20_p4_w1", "16 12966.632812"},
      {"test_05_a20_p4_w1", "9 12829.288086"},
      {"test_06_a20_p4_w1", "16 12829.288086"},
  };
  for (const auto& [file, expected] : runs) {
    SCOPED_TRACE(file);
    const auto bombardment = read(20, {file});
    EXPECT_EQ(result(bombardment), expected);
    const auto rule = by_the_rule(bombardment);
    for (const std::int64_t parts : {1, 2, 3, 4, 5}) {
      SCOPED_TRACE(testing::Message() << parts << " parts");
      expect_rule_in_parts(GetParam(), bombardment, rule, parts);
    }
  }
}

TEST_P(PublicWaves, Test07) {
  if (GetParam().name == "reference") GTEST_SKIP() << "half a minute with the reference";
  EXPECT_EQ(result(read(1000000, waves("test_07_a1M_p5k_w", 4))),
            "507805 12177.071289 400548 23157.615234 511786 34230.769531 511786 44824.339844");
}

INSTANTIATE_TEST_SUITE_P(Engines, PublicWaves, testing::ValuesIn(engines_under_test()),
                         engine_name);

// The true sums have their maxima in the same cells as the rule's, which are exact to about 1e-5.
class PublicWavesInDouble : public PublicWaves {
 protected:
  static void expect_maxima(const Bombardment& bombardment, const std::vector<Maximum>& rule) {
    const auto engine =
        GetParam().make({.part = bombard::whole_layer(bombardment.cells),
                         .storms = static_cast<std::int64_t>(bombardment.storms.size()),
                         .keep_layer = false});
    const std::vector<Maximum> maxima = engine->apply(bombardment.storms);
    ASSERT_EQ(maxima.size(), rule.size());
    for (std::size_t i = 0; i < rule.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "storm " << i + 1);
      EXPECT_EQ(maxima[i].position, rule[i].position);
      EXPECT_NEAR(maxima[i].value / rule[i].value, 1, 1e-5);
    }
  }
};

TEST_P(PublicWavesInDouble, Test01) {
  expect_maxima(read(35, {"test_01_a35_p8_w1", "test_01_a35_p7_w2", "test_01_a35_p5_w3",
                          "test_01_a35_p8_w4"}),
                {{14, 10913.346680}, {26, 14270.079102}, {10, 17167.673828}, {3, 31323.224609}});
}

TEST_P(PublicWavesInDouble, Test02) {
  expect_maxima(read(30000, waves("test_02_a30k_p20k_w", 6)), {{17197, 1103.167480},
                                                               {17223, 2183.092773},
                                                               {17229, 3818.229248},
                                                               {17222, 5436.966797},
                                                               {15849, 7602.401855},
                                                               {15924, 9764.638672}});
}

TEST_P(PublicWavesInDouble, Test07) {
  expect_maxima(read(1000000, waves("test_07_a1M_p5k_w", 4)), {{507805, 12177.071289},
                                                               {400548, 23157.615234},
                                                               {511786, 34230.769531},
                                                               {511786, 44824.339844}});
}

INSTANTIATE_TEST_SUITE_P(Engines, PublicWavesInDouble,
                         testing::ValuesIn(double_engines_under_test()), engine_name);
