// Standard streams that are closed, full, or that nobody reads: results are not lost for them, and
// exit codes stay.

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class StandardStreams : public ProgramTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    std::filesystem::copy(BOMBARD_SOURCE_DIR "/inputs/samples/layer_60_storm_1.txt",
                          path("storm.txt"));
  }
};

TEST_F(StandardStreams, NotesThatCannotBeWrittenLoseNoResult) {
  for (const char* const redirected : {"2>&-", "2>/dev/full"}) {
    const Outcome outcome =
        shell(std::string("\"$bombard\" run 60 storm.txt --verbose --format result ") + redirected);
    EXPECT_EQ(outcome.exit_code, 0) << redirected;
    EXPECT_TRUE(ends_with(outcome.out, "\nResult: 42 6261.730469\n")) << redirected;
  }
}

TEST_F(StandardStreams, NotesThatNobodyReadsLoseNoResult) {
  const Outcome outcome = shell(
      "mkfifo notes; true < notes & exec 3> notes; wait\n"
      "\"$bombard\" run 60 storm.txt --verbose --format result 2>&3");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(ends_with(outcome.out, "\nResult: 42 6261.730469\n"));
}

TEST_F(StandardStreams, PlotsThatCannotBeWrittenLoseNoResult) {
  for (const char* const redirected : {"2>&-", "2>/dev/full"}) {
    const Outcome outcome =
        shell(std::string("\"$bombard\" run 60 storm.txt --plot --format json ") + redirected);
    EXPECT_EQ(outcome.exit_code, 0) << redirected;
    EXPECT_TRUE(ends_with(outcome.out, "]\n}\n")) << redirected;
  }
}

TEST_F(StandardStreams, ErrorsThatCannotBeWrittenKeepTheirCode) {
  for (const char* const redirected : {"2>&-", "2>/dev/full"}) {
    const auto exit_code = [&](const std::string& arguments) {
      return shell("\"$bombard\" " + arguments + ' ' + redirected).exit_code;
    };
    EXPECT_EQ(exit_code("run 60 nofile"), 2) << redirected;
    EXPECT_EQ(exit_code("run 60 storm.txt --device cuda"), 3) << redirected;
    EXPECT_EQ(exit_code("solve jacobi storm.txt storm.txt"), 2) << redirected;
  }
}

// As every program in a pipeline ends whose reader has seen enough.
TEST_F(StandardStreams, ResultsThatNobodyReadsEndTheProgramBySignal) {
  const Outcome outcome = shell(
      "mkfifo results; true < results & exec 3> results; wait\n"
      "\"$bombard\" run 60 storm.txt >&3");
  EXPECT_EQ(outcome.exit_code, 128 + SIGPIPE);
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace bombard::tests
