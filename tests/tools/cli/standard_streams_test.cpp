// Standard streams that are closed, full, or without a reader: results are not lost for them, and
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
    done("cp $samples/layer_60_storm_1.txt storm.txt");
  }
};

/// Closed, full, and without a reader.
constexpr const char* nowhere[] = {" 2>&-", " 2>/dev/full", " 2>&3"};
constexpr const char* without_reader =
    "mkfifo notes; true < notes & exec 3> notes; wait; rm notes; ";

TEST_F(StandardStreams, NotesAndPlotsThatCannotBeWrittenLoseNoResult) {
  for (const std::string to : nowhere) {
    expect(without_reader + ("bombard run 60 storm.txt --verbose --format result" + to),
           "*\nResult: 42 6261.730469\n");
    expect(without_reader + ("bombard run 60 storm.txt --plot --format json" + to), "*]\n}\n");
  }
}

TEST_F(StandardStreams, ErrorsThatCannotBeWrittenKeepTheirCode) {
  for (const std::string to : {" 2>&-", " 2>/dev/full"}) {
    EXPECT_EQ(shell("bombard run 60 nofile" + to).exit_code, 2) << to;
    EXPECT_EQ(shell("bombard run 60 storm.txt --device cuda" + to).exit_code, 3) << to;
    EXPECT_EQ(shell("bombard solve jacobi storm.txt storm.txt" + to).exit_code, 2) << to;
  }
}

// As every program in a pipeline ends whose reader has seen enough.
TEST_F(StandardStreams, ResultsThatNobodyReadsEndTheProgramBySignal) {
  const Outcome outcome = shell(
      "mkfifo results; true < results & exec 3> results; wait\n"
      "bombard run 60 storm.txt >&3");
  EXPECT_EQ(outcome.exit_code, 128 + SIGPIPE);
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace bombard::tests
