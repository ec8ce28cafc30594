// The public waves of both editions: the digits that the original programs print.

#include <fmt/printf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "bombard/read_storm.hpp"
#include "sim/engines/storm_view.hpp"
#include "tests/sim/engines/against_oracle.hpp"
#include "tests/sim/engines/layer_of.hpp"

namespace bombard {
namespace {

struct Waves {
  int edition;
  std::int64_t cells;
  const char* files;
  const char* printed;     ///< `%d %f` for each storm
  std::int64_t parts = 0;  ///< the layer is compared bit for bit, and in up to this number of parts
  bool is_large = false;   ///< takes up to half a minute with the reference
};

const Waves all_waves[] = {
    {2, 35, "test_01_a35_p8_w1 test_01_a35_p7_w2 test_01_a35_p5_w3 test_01_a35_p8_w4",
     "14 10913.346680 26 14270.079102 10 17167.673828 3 31323.224609", 1},
    {2, 30000,
     "test_02_a30k_p20k_w1 test_02_a30k_p20k_w2 test_02_a30k_p20k_w3 "
     "test_02_a30k_p20k_w4 test_02_a30k_p20k_w5 test_02_a30k_p20k_w6",
     "17197 1103.167480 17223 2183.092773 17229 3818.229248 17222 5436.966797 "
     "15849 7602.401855 15924 9764.638672",
     0, true},
    // Impacts where the borders of 2 and 4 parts lie.
    {2, 20, "test_03_a20_p4_w1", "10 12966.631836", 5},
    {2, 20, "test_04_a20_p4_w1", "16 12966.632812", 5},
    {2, 20, "test_05_a20_p4_w1", "9 12829.288086", 5},
    {2, 20, "test_06_a20_p4_w1", "16 12829.288086", 5},
    {2, 1'000'000, "test_07_a1M_p5k_w1 test_07_a1M_p5k_w2 test_07_a1M_p5k_w3 test_07_a1M_p5k_w4",
     "507805 12177.071289 400548 23157.615234 511786 34230.769531 511786 44824.339844", 0, true},
    {1, 35, "small_1 small_2 small_3", "18 4.675714 18 8.312488 18 8.336719"},
    {1, 1, "small_1", "0 0.000000"},
    {1, 2, "small_1", "0 0.000000"},
    {1, 3000, "cut_1 cut_2 cut_3", "1147 0.268562 1144 0.470019 1315 0.675378"},
    {1, 20'000, "random_1 random_2", "9936 27.561516 9912 54.874157", 0, true},
    {1, 1'000'000, "sparse_1", "403034 0.471759", 0, true}};

Bombardment read(const Waves& waves) {
  Bombardment bombardment{waves.cells, {}, {.edition = waves.edition}};
  const std::string directory =
      waves.edition == 1 ? BOMBARD_FIRST_EDITION_WAVES "/" : BOMBARD_PUBLIC_WAVES "/";
  std::istringstream files(waves.files);
  for (std::string file; files >> file;) {
    bombardment.storms.push_back(read_storm(directory + file));
  }
  return bombardment;
}

class PublicWaves : public EngineTest {
 protected:
  void SetUp() override {
    for (const char* const directory : {BOMBARD_PUBLIC_WAVES, BOMBARD_FIRST_EDITION_WAVES}) {
      if (!std::filesystem::exists(directory)) GTEST_SKIP() << "no waves at " << directory;
    }
    EngineTest::SetUp();
  }

  static std::vector<Maximum> maxima_of(const Bombardment& bombardment) {
    EngineOptions options = options_for(bombardment);
    options.keep_layer = false;
    std::vector<Maximum> maxima = ::maxima_of(*GetParam().make(options), bombardment.storms);
    EXPECT_EQ(maxima.size(), bombardment.storms.size());
    return maxima;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, PublicWaves, testing::ValuesIn(engines_under_test()),
                         engine_name);

void expect_printed(const Waves& waves, const std::vector<Maximum>& maxima) {
  std::istringstream printed(waves.printed);
  for (const Maximum& maximum : maxima) {
    std::string position, value;
    printed >> position >> value;
    EXPECT_EQ(fmt::sprintf("%d %f", maximum.position, maximum.value), position + ' ' + value);
  }
}

TEST_P(PublicWaves, SlowLargeOnesHaveTheOriginalProgramsDigits) {
  const std::string& name = GetParam().name;
  for (const Waves& waves : all_waves) {
    if (!waves.is_large || (name == "reference" && waves.cells > 30'000)) continue;
    SCOPED_TRACE(waves.files);
    Bombardment bombardment = read(waves);
    if (name == "reference") bombardment.storms.resize(1);
    expect_printed(waves, maxima_of(bombardment));
  }
}

TEST_P(PublicWaves, HaveTheOriginalProgramsDigits) {
  for (const Waves& waves : all_waves) {
    if (waves.is_large) continue;
    SCOPED_TRACE(waves.files);
    const Bombardment bombardment = read(waves);
    expect_printed(waves, maxima_of(bombardment));
    if (waves.parts == 0) continue;
    const oracle::Result rule = by_the_rule(bombardment);
    expect_rule(GetParam(), bombardment, rule);
    for (std::int64_t parts = 1; parts <= waves.parts; ++parts) {
      SCOPED_TRACE(testing::Message() << parts << " parts");
      expect_rule_in_parts(GetParam(), bombardment, rule, parts);
    }
  }
}

/// Whether the rule adds every share, as double precision does.
bool all_shares_count(const Bombardment& bombardment) {
  const LayerRule rule = layer_rule(rule_of(bombardment), bombardment.cells);
  return std::ranges::all_of(bombardment.storms, [&](const Storm& storm) {
    return every_share_counts(rule, extent_of(storm.impacts), {0, bombardment.cells});
  });
}

// The true sums have their maxima in the same cells as the rule's, which are exact to about 1e-5.
using PublicWavesInDouble = PublicWaves;
INSTANTIATE_TEST_SUITE_P(Engines, PublicWavesInDouble,
                         testing::ValuesIn(engines_under_test(Precision::binary64)), engine_name);

TEST_P(PublicWavesInDouble, HaveMaximaInTheSameCells) {
  for (const Waves& waves : all_waves) {
    if (waves.cells < 3) continue;  // no maximum
    SCOPED_TRACE(waves.files);
    const Bombardment bombardment = read(waves);
    if (!all_shares_count(bombardment)) continue;
    std::istringstream printed(waves.printed);
    for (const Maximum& maximum : maxima_of(bombardment)) {
      std::int64_t position = 0;
      double value = 0;
      printed >> position >> value;
      EXPECT_EQ(maximum.position, position);
      EXPECT_NEAR(maximum.value / value, 1, 1e-5);
    }
  }
}

}  // namespace
}  // namespace bombard
