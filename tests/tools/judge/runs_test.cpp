#include "tools/judge/runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace bombard::judge {
namespace {

/// How many runs are planned for such a moment.
std::ptrdiff_t planned(When when, bool shows_races, const Options& options) {
  PreparedCase prepared;
  prepared.shows_races = shows_races;
  return std::ranges::count(plan_of_runs(prepared, options), when, &PlannedRun::when);
}

TEST(PlansOfRuns, LookForRacesWhereTheyMayShow) {
  const bool shows_races = true;
  EXPECT_EQ(planned(When::while_right, shows_races, {}), 6);
  EXPECT_EQ(planned(When::while_right, false, {}), 0);
  EXPECT_EQ(planned(When::while_right, shows_races, {.threads = 1}), 0);
  EXPECT_EQ(planned(When::while_right, shows_races, {.command = {"env", "{program}"}}), 6);
}

TEST(PlansOfRuns, HaveTimedRunsFirst) {
  const std::vector<PlannedRun> plan = plan_of_runs({}, {.repeat = 3});
  for (std::size_t i = 0; i < plan.size(); ++i) EXPECT_EQ(plan[i].start.is_timed, i < 3);
  EXPECT_EQ(plan[0].when, When::always);
  EXPECT_EQ(plan[2].when, When::while_it_answers);
  EXPECT_EQ(planned(When::while_wrong, false, {}), 2);  // three runs show a race
}

}  // namespace
}  // namespace bombard::judge
