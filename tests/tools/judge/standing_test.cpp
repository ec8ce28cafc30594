#include <gtest/gtest.h>

#include "tools/judge/reports/ranking.hpp"

namespace bombard::judge {
namespace {

// From given speedups: nothing is measured here.
TEST(Ranks, AreSharedWithinTheLargerSpread) {
  const struct {
    std::string program;
    bool passes;
    double speedup;
    double spread;
    int rank;
  } rows[] = {{"quickest", true, 3.0, 0.05, 1},
              {"within its spread", true, 2.9, 0, 1},
              {"within its own spread", true, 2.75, 0.1, 1},
              // Within the spread of the one before, but not of the first one of the rank.
              {"behind both", true, 2.7, 0.1, 4},
              {"far behind", true, 1.0, 0.5, 5},
              {"without times", true, unknown, 0, 6},
              {"without times, too", true, unknown, 0, 7},
              {"wrong and quick", false, 9.0, 9, 0}};
  std::vector<Standing> standings;
  for (std::size_t i = std::size(rows); i-- > 0;) {
    standings.push_back({.program = rows[i].program,
                         .passes = rows[i].passes,
                         .speedup = rows[i].speedup,
                         .spread = rows[i].spread});
  }
  std::swap(standings[1], standings[2]);  // the order of those without times stays
  give_ranks(standings);
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    EXPECT_EQ(standings[i].program, rows[i].program);
    EXPECT_EQ(standings[i].rank, rows[i].rank) << rows[i].program;
  }
}

}  // namespace
}  // namespace bombard::judge
