// tools/plot with names that a shell or gnuplot would take for commands.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class Plot : public ProgramTest {
 protected:
  void SetUp() override {
    if (shell("command -v gnuplot").exit_code != 0) GTEST_SKIP() << "no gnuplot here";
    written("study.csv",
            "operation,size,method,block,microseconds,single call,Gop/s,GB/s,valid\n"
            "product,256,loop,,1,,2,,yes\nproduct,512,loop,,4,,3,,yes\n");
  }
  /// tools/plot with the study's table under this name, and a chart of that name.
  Outcome plot(const std::string& csv, const std::string& chart) {
    std::filesystem::copy(path("study.csv"), path(csv));
    setenv("csv", csv.c_str(), 1);
    setenv("chart", chart.c_str(), 1);
    return shell(BOMBARD_SOURCE_DIR "/tools/plot \"$csv\" \"$chart\"");
  }
};

const std::vector<std::string> names = {"out `touch RUN`", "x\"; system(\"touch RUN\"); #",
                                        "$(touch RUN)", "-v", "new\nline"};

TEST_F(Plot, DrawsIntoAChartOfAnyName) {
  for (const std::string& name : names) {
    const Outcome outcome = plot(name + ".csv", name + ".svg");
    EXPECT_EQ(outcome.exit_code, 0) << name << ": " << outcome.err;
    EXPECT_EQ(outcome.out + outcome.err, "") << name;
    EXPECT_TRUE(contains(content_of(path(name + ".svg")), "</svg>")) << name;
    EXPECT_FALSE(std::filesystem::exists(path("RUN"))) << name;
  }
}

}  // namespace
}  // namespace bombard::tests
