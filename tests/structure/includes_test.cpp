// Who includes whom: docs/design.md, Floors and rooms.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace bombard::tests {
namespace {

using Names = std::set<std::string>;

/// Headers of bombard/ that use lower floors. The others are words, which every floor may include.
const Names front_door = {"bombard/ensemble.hpp", "bombard/run.hpp", "bombard/simulation.hpp",
                          "bombard/words.hpp"};
/// Whoever takes memory or threads asks how many there are, and whoever waits, whether to stop.
const Names ground = {"kernels/base/cores.hpp", "kernels/base/host_memory.hpp",
                      "kernels/base/share_out.hpp", "kernels/base/stoppable_work.hpp"};
/// Behind devices() and generate() of Python, as behind the subcommands of these names.
const Names tools_of_python = {"kernels/device/device.hpp", "sim/generation.hpp",
                               "sim/processor.hpp"};

const std::vector<std::pair<std::string, Names>> floors = {
    {"kernels", {"kernels"}},
    {"inputs", {"inputs"}},
    {"sim", {"sim", "inputs", "kernels"}},
    {"solvers", {"solvers", "inputs", "kernels"}},
    {"bombard", {"bombard", "sim", "solvers", "inputs", "kernels"}},
    {"python", {"python", "bombard"}}};

bool may_include(const std::string& floor, const Names& below, const std::string& header) {
  const std::string from = header.substr(0, header.find('/'));
  return below.contains(from) || ground.contains(header) ||
         (from == "bombard" && !front_door.contains(header)) ||
         (floor == "python" && tools_of_python.contains(header));
}

TEST(Includes, NoFloorLooksUp) {
  const std::string begin = "#include \"";
  for (const auto& [floor, below] : floors) {
    const std::filesystem::path tree(BOMBARD_SOURCE_DIR);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tree / floor)) {
      if (!entry.is_regular_file()) continue;
      const std::string file = std::filesystem::relative(entry.path(), tree);
      // A header of bombard/ is installed, without the floors below.
      const bool installed = floor == "bombard" && file.ends_with(".hpp");
      std::ifstream text(entry.path());
      for (std::string line; std::getline(text, line);) {
        if (!line.starts_with(begin)) continue;
        const std::string header = line.substr(begin.size(), line.rfind('"') - begin.size());
        EXPECT_TRUE(installed ? header.starts_with("bombard/") : may_include(floor, below, header))
            << file << " includes " << header;
      }
    }
  }
}

}  // namespace
}  // namespace bombard::tests
