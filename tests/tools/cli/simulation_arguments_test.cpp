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
       {"run 35 storm --threads 4097",
        "--threads 4097 is out of range; it is a whole number from 1 to 4096"},
       {"run 35 storm --quiet --verbose",
        "--quiet and --verbose contradict each other; leave one out"}},
      [](const std::string& words) { return tests::message_of([&] { options_of(words); }); });
}

}  // namespace
}  // namespace bombard::tools
