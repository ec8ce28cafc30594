// Progress and colours on a terminal.

#include "tools/cli/terminal.hpp"

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class Terminal : public ProgramTest {};

// A pseudo-terminal stands in for a terminal.
TEST_F(Terminal, SlowAProgressLineIsShownForLongWorkAndWipedAtItsEnd) {
  done("bombard generate --cells=1000000 --impacts=1100");
  // Over a second for the reference, judging by its rate.
  const std::string long_work = "bombard run 1000000 layer*.txt --engine reference";
  EXPECT_TRUE(matches(terminal_of(STDERR_FILENO, long_work),
                      "\r\\[....................\\]   0%  storm 1 of 1, *\r\x1b\\[K"));
  EXPECT_EQ(terminal_of(STDERR_FILENO, long_work + " --quiet"), "");
  EXPECT_EQ(terminal_of(STDERR_FILENO, "TERM=dumb " + long_work), "");
  EXPECT_EQ(terminal_of(STDERR_FILENO, "bombard run 60 $samples/layer_60_storm_1.txt"), "");
}

TEST(ProgressBar, IsAsLongAsThePartThatIsDone) {
  EXPECT_EQ(tools::progress_bar(3, 7), "[######..............]  30%  ");
  EXPECT_EQ(tools::progress_bar(10, 0), "[####################] 100%  ");
}

TEST(ProgressText, SaysWhatIsDoneThePaceAndWhatIsLeft) {
  EXPECT_EQ(tools::progress_text({3, 40, 4.2e10, 5e11, 2, 600}),
            "storm 4 of 40, 2.1e+10 interactions/s, 10 min left");
}

}  // namespace
}  // namespace bombard::tests
