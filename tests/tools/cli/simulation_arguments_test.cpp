#include "tools/cli/simulation_arguments.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/text.hpp"
#include "tools/cli/subcommands.hpp"

namespace bombard::tools {
namespace {

RunOptions options_of(const std::string& words) {
  const Subcommand table = run_subcommand();
  return run_options({table, parts_of(words, ' ')});
}

TEST(SimulationArguments, CellsStandBeforeTheStormsOrAreAnOption) {
  for (const std::string words : {"run 1e3 a b", "run --cells 1000 a b", "run a b --cells=1000"}) {
    const RunOptions options = options_of(words);
    EXPECT_EQ(options.cells, 1000) << words;
    EXPECT_EQ(options.storm_paths, (std::vector<std::string>{"a", "b"})) << words;
  }
}

// For words that mean nothing, see tests/bombard/words_test.cpp.
TEST(SimulationArguments, Refusals) {
  tests::expect_messages(
      {{"run", "CELLS and STORM are missing; see `bombard run --help`"},
       {"run 35",
        "STORM is missing: give one or more storm files, or - for standard input; see `bombard run "
        "--help`"},
       {"run 35 storm --quiet --verbose",
        "--quiet and --verbose contradict each other; leave one out"}},
      [](const std::string& words) { return tests::message_of([&] { options_of(words); }); });
}

// cuda_direct stands for all engines on a GPU but cuda_staged: threads send its storms.
TEST(SimulationArguments, NotesAboutOptionsWithoutEffect) {
  const Subcommand table = run_subcommand();
  const Arguments given{table, parts_of("run 35 storm --reduction inhouse --threads 2", ' ')};
  const auto notes_on = [&](const Plan& plan) {
    testing::internal::CaptureStderr();
    note_plan(given, plan);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(notes_on({.engine = "cuda_staged", .on_gpu = true, .cores = 2}), "");
  EXPECT_EQ(notes_on({.engine = "cuda_direct", .on_gpu = true, .cores = 2}),
            "bombard: --reduction has no effect on cuda_direct, only on cuda_staged\n");
  EXPECT_EQ(notes_on({.engine = "cpu_direct", .cores = 1}),
            "bombard: --reduction has no effect on cpu_direct, only on cuda_staged\n"
            "bombard: --threads 2 is more than the 1 cores there are\n");
}

}  // namespace
}  // namespace bombard::tools
