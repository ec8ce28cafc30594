#include "tools/cli/progress_text.hpp"

#include <gtest/gtest.h>

namespace bombard::tools {
namespace {

TEST(ProgressText, SaysWhatIsDoneThePaceAndWhatIsLeft) {
  Progress progress{.storms = 4, .interactions = 1e9, .seconds_left = 12};
  EXPECT_EQ(progress_text(progress), "storm 1 of 4, 12 s left");
  progress = {3, 40, 4.2e10, 5e11, 2, 600};
  EXPECT_EQ(progress_text(progress), "storm 4 of 40, 2.1e+10 interactions/s, 10 min left");
  progress.storms_done = 40;
  progress.seconds_left = 9000;
  EXPECT_EQ(progress_text(progress), "storm 40 of 40, 2.1e+10 interactions/s, 2.5 h left");
}

}  // namespace
}  // namespace bombard::tools
