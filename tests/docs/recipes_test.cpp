// The recipes of docs/design.md name every file that has to change: an existing engine, format and
// so on is looked for in the whole tree, and its recipe must name each file in which it is found.

#include <filesystem>
#include <regex>
#include <string>

#include "tests/inputs/temporary_directory.hpp"
#include "tests/text.hpp"

namespace bombard::tests {
namespace {

struct Recipe {
  const char *heading, *name;  ///< NAME in the recipe
  const char* traces;          ///< of the existing one, in a file that it changed
};

class Recipes : public testing::TestWithParam<Recipe> {};

TEST_P(Recipes, SlowNameEveryFileThatHasToChange) {
  const std::filesystem::path source = BOMBARD_SOURCE_DIR;
  std::string recipe = content_of(source / "docs/design.md");
  recipe.erase(0, recipe.find(std::string("### ") + GetParam().heading));
  recipe = recipe.substr(0, recipe.find("\n### "));
  recipe = std::regex_replace(recipe, std::regex("NAME"), GetParam().name);

  const std::regex traces(GetParam().traces);
  int found = 0;
  for (const char* room : {"bombard", "inputs", "kernels", "python", "sim", "solvers", "tools/cli",
                           "tools/mpi", "tests/fuzz"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source / room)) {
      if (!entry.is_regular_file() || entry.path().string().find("/corpus/") != std::string::npos ||
          !std::regex_search(content_of(entry.path()), traces)) {
        continue;
      }
      ++found;
      const std::filesystem::path file = entry.path().lexically_relative(source);
      const bool by_folder = contains(recipe, '`' + file.parent_path().string() + "/`");
      EXPECT_TRUE(by_folder || contains(recipe, '`' + file.string() + '`')) << file;
    }
  }
  EXPECT_GE(found, 3);
}

INSTANTIATE_TEST_SUITE_P(
    Pages, Recipes,
    testing::Values(Recipe{"An engine", "stored", "make_stored_layer"},
                    Recipe{"A law", "",
                           R"(\bnamed_laws\b|[Aa]ttenuation_?\)?\.range\b|\[power, range\])"},
                    Recipe{"A file format", "npy", "storm_npy"},
                    Recipe{"A value of the results", "", "cells_seen"},
                    Recipe{"Ranks by another library", "", "RanksStart"},
                    Recipe{"A solver", "jacobi", R"(solvers/jacobi/|\bjacobi\()"},
                    Recipe{"A study", "sort", R"(measure_sorts\b|sort/study)"},
                    Recipe{"A subcommand", "study", R"(\bstudy_subcommand\b)"}));

}  // namespace
}  // namespace bombard::tests
