#include "tools/judge/cases.hpp"

#include <gtest/gtest.h>

#include "tests/sim/engines/against_oracle.hpp"
#include "tools/judge/prepared_case.hpp"

namespace bombard::judge {
namespace {

class Cases : public testing::TestWithParam<Edition> {};

TEST_P(Cases, HaveTheOraclesAnswers) {
  for (const Case& tried : quick_cases(GetParam())) {
    if (interactions(tried) > 100'000'000) continue;  // seconds of work for the oracle
    const oracle::Result expected =
        by_the_rule({tried.cells, tried.storms, {.edition = static_cast<int>(tried.edition)}});
    std::vector<Maximum> maxima;
    for (const oracle::Peak& peak : expected.peaks) maxima.push_back({peak.position, peak.value});
    EXPECT_EQ(right_answer(tried), maxima) << tried.name;
    const std::int64_t inside = tried.cells / 2;
    EXPECT_EQ(RightLayers(tried).after(tried.storms.size()).at(inside), expected.layer.at(inside))
        << tried.name;
  }
}

// The assignment's public files have impacts inside the layer in each storm, and a peak.
TEST_P(Cases, AreOfTheAssignmentOrBeyondIt) {
  bool is_beyond = false;
  for (const Case& tried : quick_cases(GetParam())) {
    bool is_promised = tried.cells >= 3;
    for (const Storm& storm : tried.storms) {
      is_promised &= !storm.impacts.empty();
      for (const Impact& impact : storm.impacts) {
        is_promised &= impact.position >= 0 && impact.position < tried.cells && impact.energy > 0;
        // Programs of the assignment hold positions and cells in an int.
        EXPECT_LT(std::abs(impact.position) + tried.cells, std::int64_t{1} << 30) << tried.name;
      }
    }
    for (const Maximum& maximum : right_answer(tried)) is_promised &= maximum.value > 0;
    EXPECT_EQ(!tried.is_beyond, is_promised) << tried.name;
    EXPECT_FALSE(is_beyond && is_promised) << "cases of the assignment come first";
    is_beyond = !is_promised;
  }
}

INSTANTIATE_TEST_SUITE_P(Editions, Cases, testing::Values(Edition::first, Edition::second),
                         [](const auto& info) {
                           return info.param == Edition::first ? "First" : "Second";
                         });

TEST(SequentialTime, OfALargeCaseIsOfAPart) {
  const std::vector<Case> quick = quick_cases(Edition::second);
  EXPECT_FALSE(is_timed_in_part(quick.front()));
  EXPECT_LT(sequential_time(quick.front()), 0.1);
  const Case large{.cells = 4'000'000, .storms = {Storm{"", std::vector<Impact>(1000)}}};
  EXPECT_TRUE(is_timed_in_part(large));
  EXPECT_GT(sequential_time(large), 0.5);  // 4e9 shares
  EXPECT_LT(sequential_time(large), 1000);
  const Case empty{.cells = 4'000'000, .storms = {Storm{}}};
  EXPECT_TRUE(is_timed_in_part(empty));
  EXPECT_LT(sequential_time(empty), 10);
}

}  // namespace
}  // namespace bombard::judge
