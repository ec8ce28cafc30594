// Who includes whom: docs/design.md, Floors and rooms.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace bombard::tests {
namespace {

using Words = std::set<std::string, std::less<>>;

std::vector<std::string> included_by(const std::filesystem::path& file) {
  constexpr std::string_view begin = "#include \"";
  std::vector<std::string> names;
  std::ifstream text(file);
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with(begin)) {
      names.push_back(line.substr(begin.size(), line.rfind('"') - begin.size()));
    }
  }
  return names;
}

/// The files of C++ and CUDA below a folder of the tree, by their names there.
std::vector<std::string> sources_of(const std::string& folder) {
  const std::filesystem::path tree(BOMBARD_SOURCE_DIR);
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tree / folder)) {
    const std::string extension = entry.path().extension();
    if (Words{".cpp", ".hpp", ".cu", ".cuh", ".inc"}.contains(extension)) {
      files.push_back(std::filesystem::relative(entry.path(), tree));
    }
  }
  return files;
}

/// Headers of bombard/ that every floor may include: what all speak of.
const Words words = {"bombard/device.hpp",
                     "bombard/errors.hpp",
                     "bombard/layer.hpp",
                     "bombard/matrix_views.hpp",
                     "bombard/maximum.hpp",
                     "bombard/messages.hpp",
                     "bombard/plan.hpp",
                     "bombard/read_storm.hpp",
                     "bombard/rule.hpp",
                     "bombard/runs.hpp",
                     "bombard/settings.hpp",
                     "bombard/simulation_observer.hpp",
                     "bombard/simulation_result.hpp",
                     "bombard/solve.hpp",
                     "bombard/storm.hpp"};

std::string folder_of(const std::string& file) {
  return file.substr(0, file.find('/'));
}

TEST(Includes, NoFloorLooksUp) {
  const std::vector<std::pair<std::string, Words>> floors = {
      {"kernels", {"kernels"}},
      {"inputs", {"inputs"}},
      {"sim", {"sim", "inputs", "kernels"}},
      {"solvers", {"solvers", "inputs", "kernels"}},
      {"bombard", {"bombard", "sim", "solvers", "inputs", "kernels"}},
      {"python", {"python", "bombard"}}};
  // Whoever takes memory or threads asks how many there are.
  const Words asked = {"kernels/base/host_memory.hpp", "kernels/base/cores.hpp"};
  // Behind devices() and generate() of Python, as behind the subcommands of these names.
  const Words of_python = {"sim/generation.hpp", "sim/processor.hpp", "kernels/device/device.hpp"};
  for (const auto& [folder, below] : floors) {
    const std::vector<std::string> files = sources_of(folder);
    EXPECT_FALSE(files.empty()) << folder;
    for (const std::string& file : files) {
      for (const std::string& included : included_by(BOMBARD_SOURCE_DIR "/" + file)) {
        EXPECT_TRUE(below.contains(folder_of(included)) || words.contains(included) ||
                    asked.contains(included) ||
                    (folder == "python" && of_python.contains(included)))
            << file << " includes " << included;
      }
    }
  }
}

TEST(Includes, WhatIsInstalledStandsByItself) {
  std::ifstream text(BOMBARD_SOURCE_DIR "/bombard/CMakeLists.txt");
  Words installed;
  for (std::string word; text >> word;) {
    if (word.ends_with(".hpp")) installed.insert("bombard/" + word.substr(word.find('(') + 1));
  }
  EXPECT_TRUE(installed.contains("bombard/simulation.hpp"));
  for (const std::string& word : words) EXPECT_TRUE(installed.contains(word)) << word;
  for (const std::string& file : installed) {
    const bool is_word = words.contains(file);
    for (const std::string& included : included_by(BOMBARD_SOURCE_DIR "/" + file)) {
      EXPECT_TRUE((is_word ? words : installed).contains(included))
          << file << " includes " << included;
    }
  }
}

/// The files of the command line that compare or show inner parts: the tools of the house.
bool is_of_the_house(const std::string& file) {
  const Words files = {"devices",  "generate",          "judge",  "ranks", "study",
                       "validate", "validation_report", "version"};
  return file.starts_with("tools/judge/") ||
         (file.starts_with("tools/cli/") &&
          files.contains(std::filesystem::path(file).stem().string()));
}

TEST(Includes, WhatUsersRunReachesForNothingBehindTheFrontDoor) {
  // How much memory is free, and how many cores; a pair of numbers; and what `solve --validate`
  // compares with. And the ranks of bombard-mpi, which a run is given.
  const Words ground = {"kernels/base/cores.hpp",       "kernels/base/host_memory.hpp",
                        "kernels/layer/cell_range.hpp", "solvers/eigen_views.hpp",
                        "solvers/jacobi/reference.hpp", "solvers/minima/reference.hpp",
                        "solvers/sort/reference.hpp",   "sim/simulation.hpp"};
  for (const std::string folder : {"tools/cli", "tools/page"}) {
    for (const std::string& file : sources_of(folder)) {
      if (is_of_the_house(file)) continue;
      for (const std::string& included : included_by(BOMBARD_SOURCE_DIR "/" + file)) {
        const std::string from = folder_of(included);
        EXPECT_TRUE(
            from == "bombard" || from == "inputs" || ground.contains(included) ||
            (from == "tools" && (!is_of_the_house(included) || included == "tools/cli/ranks.hpp")))
            << file << " includes " << included;
      }
    }
  }
}

}  // namespace
}  // namespace bombard::tests
