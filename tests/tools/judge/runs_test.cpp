#include "tools/judge/runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace bombard::judge {
namespace {

/// How many runs are planned after others with this verdict.
std::ptrdiff_t planned(Verdict verdict, bool shows_races, const Options& options) {
  PreparedCase prepared;
  prepared.shows_races = shows_races;
  return std::ranges::count_if(plan_of_runs(prepared, options), [&](const PlannedRun& run) {
    return std::ranges::count(run.after, verdict) > 0;
  });
}

TEST(PlansOfRuns, LookForRacesWhereTheyMayShow) {
  const bool shows_races = true;
  EXPECT_EQ(planned(Verdict::right, shows_races, {}), 6);
  EXPECT_EQ(planned(Verdict::right, false, {}), 0);
  EXPECT_EQ(planned(Verdict::right, shows_races, {.threads = 1}), 0);
  EXPECT_EQ(planned(Verdict::right, shows_races, {.command = {"env", "{program}"}}), 6);
  EXPECT_EQ(planned(Verdict::wrong, false, {}), 2 + 6);  // three runs show a race
}

}  // namespace
}  // namespace bombard::judge
