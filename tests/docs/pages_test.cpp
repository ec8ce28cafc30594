// Every command that the README shows with its output prints just that, times and machine aside.

#include <array>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

struct Example {
  std::string command, output;
};

/// Indented blocks that begin with "$ COMMAND".
std::vector<Example> examples_of(const std::string& text) {
  const std::string indent = "    ";
  std::vector<Example> examples;
  bool inside = false;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
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

/// Without what differs from run to run and from machine to machine: times, the processor's name.
std::string comparable(const std::string& text) {
  std::string kept;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("reading ") || line.starts_with("Time: ")) {
      line.erase(line.find(' '));
    } else if (line.starts_with("cpu ") || line.starts_with("no GPU: ")) {
      line.erase(line.find_first_of(" :"));
    } else if (const std::size_t at = line.find("; cpu_direct on "); at != std::string::npos) {
      line.erase(at);
    }
    kept += line + '\n';
  }
  kept.erase(kept.find_last_not_of('\n') + 1);
  return kept;
}

class Readme : public ProgramTest {};

TEST_F(Readme, CommandsPrintWhatItShows) {
  std::filesystem::create_directory_symlink(BOMBARD_SOURCE_DIR "/inputs", directory / "inputs");
  std::filesystem::create_directory(directory / "build");
  std::filesystem::create_symlink(BOMBARD_PROGRAM, directory / "build/bombard");

  const auto examples = examples_of(content_of(BOMBARD_SOURCE_DIR "/README.md"));
  EXPECT_GE(examples.size(), 5U);
  for (const Example& example : examples) {
    const std::string command = "cd '" + directory.string() +
                                "' && export CUDA_VISIBLE_DEVICES=-1 COLUMNS=80 && " +
                                example.command;
    std::FILE* pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string output;
    std::array<char, 4096> buffer;
    for (std::size_t count; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
      output.append(buffer.data(), count);
    }
    EXPECT_EQ(pclose(pipe), 0) << example.command;
    EXPECT_EQ(comparable(output), comparable(example.output)) << example.command;
  }
}

}  // namespace
}  // namespace bombard::tests
