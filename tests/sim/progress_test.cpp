#include "sim/progress.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>
namespace bombard {
namespace {

TEST(ProgressMeter, CountsStormsAndInteractions) {
  std::vector<Progress> seen;
  ProgressMeter meter(
      {.cells = 10, .impacts = 4, .storms = 2, .start_up_seconds = 1, .seconds = 8.5},
      [&](const Progress& progress) { seen.push_back(progress); });
  meter.done(1);
  meter.done(3);

  // A quarter of the interactions is done after the first storm, so three times as long is left.
  ASSERT_EQ(seen.size(), 3U);
  const double interactions_done[] = {0, 10, 40}, seconds_left[] = {7.5, 3 * seen[1].seconds, 0};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(seen[i].storms_done, i);
    EXPECT_EQ(seen[i].storms, 2);
    EXPECT_EQ(seen[i].interactions_done, interactions_done[i]);
    EXPECT_EQ(seen[i].interactions, 40);
    EXPECT_DOUBLE_EQ(seen[i].seconds_left, seconds_left[i]);
  }
}

TEST(ProgressMeter, CountsWhatIsDoneOfAStorm) {
  Progress last;
  ProgressMeter meter({.cells = 10, .impacts = 2, .storms = 1},
                      [&](const Progress& progress) { last = progress; });
  meter.within(5);  // too soon to be reported
  EXPECT_EQ(last.interactions_done, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(260));
  meter.within(5);
  EXPECT_EQ(last.interactions_done, 10);
  EXPECT_EQ(last.storms_done, 0);
  EXPECT_DOUBLE_EQ(last.seconds_left, last.seconds);
  meter.done(2);
  EXPECT_EQ(last.interactions_done, 20);
  EXPECT_EQ(last.seconds_left, 0);
}

}  // namespace
}  // namespace bombard
