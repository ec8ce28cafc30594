// The commands of the pages run, the maxima below them are right, and links lead to files that
// exist.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <regex>
#include <string>
#include <vector>

#include "tests/tools/cli/program.hpp"
#include "tools/page/embedded.hpp"

namespace bombard::tests {
namespace {

const std::filesystem::path tree(BOMBARD_SOURCE_DIR);

/// The lines of a text that tell a maximum, which are the same on every machine.
std::vector<std::string> maxima_in(const std::string& text) {
  std::vector<std::string> maxima = lines_of(text);
  std::erase_if(maxima, [](const std::string& line) { return !line.starts_with("Result:"); });
  return maxima;
}

struct Example {
  std::string command, output;
};

/// Indented lines "$ COMMAND", with the output below them, and those that call the program, but for
/// commands that need a GPU or MPI.
std::vector<Example> examples_of(const std::string& page) {
  const std::string indent = "    ";
  std::vector<Example> examples;
  bool inside = false;
  for (const std::string& line : lines_of(std::regex_replace(page, std::regex("\\\\\n"), ""))) {
    inside = inside && !line.starts_with(indent + "build/");
    if (line.starts_with(indent + "$ ")) {
      examples.push_back({line.substr(indent.size() + 2), ""});
      inside = true;
    } else if (line.starts_with(indent + "build/bombard ") && !contains(line, "cuda") &&
               !contains(line, "mpirun")) {
      examples.push_back({line, ""});
    } else if (inside && line.starts_with(indent)) {
      examples.back().output += line.substr(indent.size()) + '\n';
    } else {
      inside = inside && line.empty();
    }
  }
  return examples;
}

/// What the tour gives to students is right.
using StarterPrograms = ProgramTest;

TEST_F(StarterPrograms, HaveTheDigitsOfTheRule) {
  if (shell("command -v cc").exit_code != 0) GTEST_SKIP() << "no C compiler here";
  // Two equal impacts, mirrored: the peak at the smaller position is the maximum.
  written("storm", "2\n2 500\n7 500\n");
  for (const std::string name : {"starter", "solution"}) {
    done("cc -O3 -fopenmp " BOMBARD_SOURCE_DIR "/docs/starter/" + name + ".c -lm -o program");
    for (const std::string storms : {"10 storm storm", "5000 $samples/layer_5000_storm_*.txt"}) {
      EXPECT_EQ(maxima_in(done("OMP_NUM_THREADS=3 ./program " + storms).out),
                maxima_in(done(BOMBARD_PROGRAM " run " + storms + " --format result").out));
    }
  }
}

class PageExamples : public ProgramTest, public testing::WithParamInterface<std::string> {};

TEST_P(PageExamples, SlowRun) {
  std::filesystem::create_directory_symlink(tree / "inputs", path("inputs"));
  std::filesystem::create_directory(path("build"));
  std::filesystem::create_symlink(BOMBARD_PROGRAM, path("build/bombard"));
  std::filesystem::create_symlink(BOMBARD_SEQUENTIAL_PROGRAM, path("build/sequential_program"));

  // What a reader has: a program, a class, and an exam of one case.
  done("ln -s build/sequential_program my_program; mkdir -p class/anna exam/final");
  done("cp " BOMBARD_SOURCE_DIR "/docs/starter/starter.c class/anna; ln -s class teams");
  done("cp inputs/samples/layer_60_storm_1.txt exam/final");
  written("exam/final/case.json", R"({"cells": 60, "storms": ["layer_60_storm_1.txt"]})");

  const std::vector<Example> examples = examples_of(content_of(tree / GetParam()));
  EXPECT_FALSE(examples.empty());
  for (const Example& example : examples) {
    if (contains(example.command, "--report") && tools::embedded_run_page.empty()) {
      std::cout << "left out, built without dygraphs: " << example.command << '\n';
      continue;
    }
    EXPECT_EQ(maxima_in(done(example.command).out), maxima_in(example.output)) << example.command;
  }
}

// library_page_test.bash, performance_page_test.bash and python_page_test.bash run those of the
// other pages; tests/packaging/ does what install.md says.
INSTANTIATE_TEST_SUITE_P(Pages, PageExamples,
                         testing::Values("README.md", "docs/usage.md", "docs/tour.md",
                                         "docs/judging.md", "docs/class.md"));

// A block of code begins with the name of its file, and is there.
TEST(Pages, QuoteWhatRuns) {
  const std::string page = content_of(tree / "docs/tour.md"), begin = "```cpp\n// ";
  for (std::size_t at = 0; (at = page.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    const std::string block = page.substr(at, page.find("```", at) - at);
    const std::size_t line = block.find('\n');
    EXPECT_TRUE(contains(content_of(tree / block.substr(0, line)), block.substr(line + 1)))
        << block;
  }
}

TEST(Pages, LinkToFilesThatExist) {
  static const std::regex link(R"(\]\(([^)#: ]+)(#[^)]*)?\))");
  for (const std::filesystem::path& folder : {tree, tree / "docs"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".md") continue;
      const std::string page = content_of(entry.path());
      for (std::sregex_iterator at(page.begin(), page.end(), link), end; at != end; ++at) {
        const std::filesystem::path target = folder / (*at)[1].str();
        EXPECT_TRUE(std::filesystem::exists(target)) << entry << ": " << at->str();
      }
    }
  }
}

}  // namespace
}  // namespace bombard::tests
