// The pages tell the truth: commands print the text below them (apart from times and the machine),
// code is in the file that is named above it, and every file that they name exists.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <regex>
#include <string>
#include <vector>

#include "tests/tools/cli/program.hpp"
#include "tools/page/embedded.hpp"

namespace bombard::tests {
namespace {

std::string page(const std::string& path) {
  return content_of(BOMBARD_SOURCE_DIR "/" + path);
}

struct Example {
  std::string command, output;
};

/// Indented blocks that begin with "$ COMMAND".
std::vector<Example> examples_of(const std::string& text) {
  const std::string indent = "    ";
  std::vector<Example> examples;
  bool inside = false;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with(indent + "$ ")) {
      examples.push_back({line.substr(indent.size() + 2), ""});
      inside = true;
    } else if (inside && (line.empty() || line.starts_with(indent))) {
      examples.back().output += (line.empty() ? "" : line.substr(indent.size())) + '\n';
    } else {
      inside = false;
    }
  }
  return examples;
}

/// Without what differs between runs and machines: times, the CPU's name.
std::string comparable(const std::string& text) {
  static const std::regex row_of_a_judgement(
      R"(^\w+ +(right|rounding|WRONG|RACE|CRASH|TIMEOUT|NO ANSWER) +)");
  static const std::regex times_of_a_program(R"(^(\w[\w ]*) +\d+ +[\d.-]+ +[\d.-]+  )");
  static const std::regex times_with_threads(R"(^( +\d+) +[\d.]+ +[\d.]+ +[\d.]+  =+$)");
  std::string kept;
  static const std::regex confinement(R"(, (not )?confined(: .*)?$)");  // a kernel may have none
  for (std::string line : lines_of(text)) {
    line = std::regex_replace(line, confinement, "");
    if (line.starts_with("reading ") || line.starts_with("Time: ")) {
      line.erase(line.find(' '));
    } else if (line.starts_with("engine  ") || line.starts_with("time  ") ||
               line.starts_with("memory  ")) {
      line.erase(line.find(' '));
    } else if (line.starts_with("cpu ") || line.starts_with("no GPU: ")) {
      line.erase(line.find_first_of(" :"));
    } else if (const std::size_t at = line.find("; cpu_direct on "); at != std::string::npos) {
      line.erase(at);
    } else if (std::smatch judged; std::regex_search(line, judged, row_of_a_judgement)) {
      line.erase(static_cast<std::size_t>(judged.length()));
    } else {
      line = std::regex_replace(line, times_of_a_program, "$1 ");
      line = std::regex_replace(line, times_with_threads, "$1");
    }
    kept += line + '\n';
  }
  kept.erase(kept.find_last_not_of('\n') + 1);
  return kept;
}

struct Page {
  const char* path;
  std::size_t examples;  ///< at least this number of them
};

/// What the tour gives to students is right.
class StarterPrograms : public ProgramTest, public testing::WithParamInterface<std::string> {};

TEST_P(StarterPrograms, HaveTheDigitsOfTheRule) {
  if (shell("command -v cc").exit_code != 0) GTEST_SKIP() << "no C compiler here";
  done("cc -O3 -fopenmp " BOMBARD_SOURCE_DIR "/docs/starter/" + GetParam() + ".c -lm -o program");
  // Two equal impacts, mirrored: the peak at the smaller position is the maximum.
  written("storm", "2\n2 500\n7 500\n");
  const std::string storms = "10 storm storm";
  EXPECT_EQ(comparable(done("./program " + storms).out),
            comparable(done(BOMBARD_PROGRAM " run " + storms + " --format result").out));
  const std::string samples = "5000 " BOMBARD_SOURCE_DIR "/inputs/samples/layer_5000_storm_*.txt";
  EXPECT_EQ(comparable(done("OMP_NUM_THREADS=3 ./program " + samples).out),
            comparable(done(BOMBARD_PROGRAM " run " + samples + " --format result").out));
}

INSTANTIATE_TEST_SUITE_P(Tour, StarterPrograms, testing::Values("starter", "solution"));

class PageExamples : public ProgramTest, public testing::WithParamInterface<Page> {};

TEST_P(PageExamples, SlowPrintWhatThePageShows) {
  std::filesystem::create_directory_symlink(BOMBARD_SOURCE_DIR "/inputs", path("inputs"));
  std::filesystem::create_directory(path("build"));
  std::filesystem::create_symlink(BOMBARD_PROGRAM, path("build/bombard"));
  std::filesystem::create_symlink(BOMBARD_SEQUENTIAL_PROGRAM, path("build/sequential_program"));

  const auto examples = examples_of(page(GetParam().path));
  EXPECT_GE(examples.size(), GetParam().examples);
  for (const Example& example : examples) {
    if (contains(example.command, "--report") && tools::embedded_files.dygraphs_script.empty()) {
      std::cout << "left out, built without dygraphs: " << example.command << '\n';
      continue;
    }
    EXPECT_EQ(comparable(done(example.command).out), comparable(example.output)) << example.command;
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, PageExamples,
                         testing::Values(Page{"docs/usage.md", 14}, Page{"docs/tour.md", 4},
                                         Page{"docs/judging.md", 7}, Page{"docs/class.md", 5}));

/// Lines without their indentation, so that a quotation may be indented less.
std::string unindented(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    const std::size_t first = line.find_first_not_of(' ');
    text += (first == std::string::npos ? "" : line.substr(first)) + '\n';
  }
  return text;
}

/// The number of blocks of code that a page quotes; each must be in its file. A block begins with a
/// line "```cpp" and then a comment that names its file.
int quotations_of(const std::string& path) {
  int quotations = 0;
  const std::vector<std::string> lines = lines_of(page(path));
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    if (lines[i] != "```cpp") continue;
    EXPECT_TRUE(lines[i + 1].starts_with("// ")) << lines[i + 1];
    const std::string file = lines[i + 1].substr(3);
    std::vector<std::string> quotation;
    for (i += 2; i < lines.size() && lines[i] != "```"; ++i) quotation.push_back(lines[i]);
    EXPECT_TRUE(contains(unindented(lines_of(page(file))), unindented(quotation))) << file;
    ++quotations;
  }
  return quotations;
}

TEST(Pages, QuoteTheCodeAsItIs) {
  EXPECT_GE(quotations_of("docs/tour.md"), 5);
  EXPECT_GE(quotations_of("docs/library.md"), 4);
}

/// Times that a text gives outside its examples: "6.9 ms".
std::vector<std::string> times_in(const std::string& text) {
  static const std::regex time(R"(\b[0-9][0-9.e]* (ns|us|ms|s)\b)");
  std::vector<std::string> times;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("    ")) continue;
    for (std::sregex_iterator at(line.begin(), line.end(), time), end; at != end; ++at) {
      times.push_back(at->str());
    }
  }
  return times;
}

TEST(Pages, TheReadmeTellsTheTimesOfThePerformancePage) {
  const std::vector<std::string> measured = times_in(page("docs/performance.md"));
  const std::vector<std::string> told = times_in(page("README.md"));
  EXPECT_GE(told.size(), 3);
  for (const std::string& time : told) {
    EXPECT_TRUE(std::ranges::find(measured, time) != measured.end()) << time;
  }
}

TEST(Pages, TellTheNumbersOfTheirFile) {
  if (std::system("python3 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no python3 here";
  EXPECT_EQ(std::system("python3 " BOMBARD_SOURCE_DIR "/tools/numbers check"), 0);
}

/// Links that lead to a file, and paths that begin with a folder of the tree: between backquotes,
/// or alone in a text of a figure. Files called NAME are yet to be written.
std::vector<std::string> files_named_in(const std::string& text, const std::string& folder) {
  static const std::regex link(R"(\]\(([^)#:]+)(#[^)]*)?\))");
  static const std::regex path(
      R"([`>]((kernels|sim|inputs|solvers|tools|tests|docs|packaging)/[\w./+-]*)[`<])");
  std::vector<std::string> files;
  for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
    files.push_back(folder + (*at)[1].str());
  }
  for (std::sregex_iterator at(text.begin(), text.end(), path), end; at != end; ++at) {
    files.push_back((*at)[1].str());
  }
  return files;
}

TEST(Pages, NameOnlyFilesThatExist) {
  const std::filesystem::path tree(BOMBARD_SOURCE_DIR);
  std::size_t named = 0;
  for (const std::string folder : {"", "docs/"}) {
    for (const auto& entry : std::filesystem::directory_iterator(tree / folder)) {
      // The changelog also names files of the past.
      if (!entry.is_regular_file() || entry.path().filename() == "CHANGELOG.md") continue;
      for (const std::string& file : files_named_in(content_of(entry.path()), folder)) {
        if (file.find("NAME") != std::string::npos) continue;
        EXPECT_TRUE(std::filesystem::exists(tree / file)) << entry << " names " << file;
        ++named;
      }
    }
  }
  EXPECT_GE(named, 300);
}

}  // namespace
}  // namespace bombard::tests
