#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/output_file.hpp"
#include "inputs/storm_npy.hpp"
#include "inputs/storm_text.hpp"
#include "sim/generation.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/suggestion.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

constexpr const char* about_storms =
    "Writes storms of random impacts and prints the names of the files:\n"
    "DIRECTORY/layer_CELLS_storm_1.txt and so on.\n"
    "Positions are uniform in 0..CELLS-1, energies uniform in LO..HI. The same seed gives the same "
    "files\n"
    "on every machine. Files of the same names are replaced.\n"
    "Data for `bombard solve`: bombard generate vector|matrix|system|set --help\n";

constexpr const char* examples_of_storms =
    "\nExamples:\n"
    "  bombard generate --cells 1000000 --impacts 5000 --storms 4 --seed 7 --directory storms\n"
    "  bombard generate --cells 60 --impacts 8 --energy -100:100\n"
    "  bombard generate system --rows 1000              data for `bombard solve`\n";

std::int64_t number(const cxxopts::ParseResult& parsed, const std::string& option,
                    std::int64_t least, std::int64_t most) {
  return whole_number(parsed[option].as<std::string>(), "--" + option, least, most);
}

std::pair<std::int32_t, std::int32_t> energy_range(const std::string& text) {
  constexpr std::int64_t lowest = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t highest = std::numeric_limits<std::int32_t>::max();
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    throw InputError(
        fmt::format("--energy \"{}\" is not a range; it is LO:HI, as in 1:1000", text));
  }
  const std::int64_t low = whole_number(text.substr(0, colon), "--energy LO", lowest, highest);
  const std::int64_t high = whole_number(text.substr(colon + 1), "--energy HI", lowest, highest);
  if (low > high) {
    throw InputError(fmt::format("--energy {} is empty: LO is above HI; swap them", text));
  }
  return {static_cast<std::int32_t>(low), static_cast<std::int32_t>(high)};
}

cxxopts::Options storm_options() {
  cxxopts::Options options("bombard generate", about_storms);
  options.custom_help("--cells N --impacts P [OPTION...]");
  const auto text = [] { return cxxopts::value<std::string>(); };
  options.add_options()                                                                     //
      ("cells", "Cells of the layer", text(), "N")                                          //
      ("impacts", "Impacts of each storm", text(), "P")                                     //
      ("storms", "Number of storms", text()->default_value("1"), "S")                       //
      ("seed", "A whole number from 0 up", text()->default_value("1"), "X")                 //
      ("energy", "Energies, in thousands", text()->default_value("1:1000"), "LO:HI")        //
      ("format", "text, or npy for NumPy arrays", text()->default_value("text"), "FORMAT")  //
      ("directory", "The directory of the files; it is created if it is missing",
       text()->default_value("."), "D")  //
      ("h,help", "Show this help");
  return options;
}

/// Writes the storms and returns the names of their files, one per line.
std::string write_storms(const cxxopts::ParseResult& parsed) {
  for (const char* option : {"cells", "impacts"}) {
    if (parsed.count(option) == 0) {
      throw InputError(fmt::format("--{} is missing; see `bombard generate --help`", option));
    }
  }
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t cells = number(parsed, "cells", 1, largest_position);
  const std::int64_t impacts = number(parsed, "impacts", 0, most);
  const std::int64_t storms = number(parsed, "storms", 1, most);
  const auto seed = static_cast<std::uint64_t>(number(parsed, "seed", 0, most));
  const auto [lowest, highest] = energy_range(parsed["energy"].as<std::string>());
  const std::string format = parsed["format"].as<std::string>();
  if (format != "text" && format != "npy") {
    throw InputError(
        fmt::format("--format \"{}\" is not a format of storms; it is text or npy", format));
  }
  const std::filesystem::path directory = parsed["directory"].as<std::string>();
  make_directory(directory.string());

  // Numbers of equal width, so that the shell lists the files in their order.
  const std::size_t width = std::to_string(storms).size();
  std::string names;
  for (std::int64_t i = 0; i < storms; ++i) {
    const bool as_npy = format == "npy";
    const std::string name =
        fmt::format("layer_{}_storm_{:0{}}.{}", cells, i + 1, width, as_npy ? "npy" : "txt");
    const std::string path = (directory / name).string();
    const Storm storm = generate_storm(cells, impacts, lowest, highest, seed, i);
    (as_npy ? write_storm_npy : write_storm)(storm, path);
    names += shown_name(path) + '\n';
  }
  return names;
}

[[noreturn]] void fail_for(const std::string& word) {
  const std::vector<std::string> kinds{"vector", "matrix", "system", "set"};
  throw InputError(fmt::format(
      "\"{}\" is no kind of data; there are vector, matrix, system and set, and without one storms "
      "are written{}; see `bombard generate --help`",
      word, did_you_mean(word, kinds)));
}

}  // namespace

int generate(int argc, char** argv) {
  if (argc > 1 && generates_arrays(argv[1])) return generate_arrays(argc - 1, argv + 1);
  // Before its options, which storms do not know.
  if (argc > 1 && argv[1][0] != '-') fail_for(argv[1]);
  cxxopts::Options options = storm_options();
  const cxxopts::ParseResult parsed = parse(options, argc, argv, "generate");
  if (parsed.count("help") != 0) {
    print(options.help() + examples_of_storms);
    return 0;
  }
  if (!parsed.unmatched().empty()) fail_for(parsed.unmatched().front());
  print(write_storms(parsed));
  return 0;
}

}  // namespace bombard::tools
