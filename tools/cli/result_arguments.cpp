#include "tools/cli/result_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/output_file.hpp"
#include "tools/cli/outputs.hpp"

namespace bombard::tools {

namespace {

/// Finds out before a long computation if its result cannot be kept. A pipe or a device is left
/// alone: opening one twice disturbs its reader.
void check_writable(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && std::filesystem::is_other(status)) return;
  const OutputFile probe(path);
}

constexpr const char* cells_option = "--cells-at";

/// The first cell of an item, and the cell after its last one.
std::pair<std::int64_t, std::int64_t> parse_item(const std::string& item, std::int64_t cells) {
  const std::size_t colon = item.find(':');
  if (colon == std::string::npos) {
    const std::int64_t cell = whole_number(item, cells_option, 0, cells - 1);
    return {cell, cell + 1};
  }
  if (colon == 0 || colon + 1 == item.size()) {
    throw InputError(fmt::format("{} {} lacks its {}; BEGIN:END is the cells from BEGIN to END - 1",
                                 cells_option, item, colon == 0 ? "BEGIN" : "END"));
  }
  const std::pair range(whole_number(item.substr(0, colon), cells_option, 0, cells - 1),
                        whole_number(item.substr(colon + 1), cells_option, 1, cells));
  if (range.first >= range.second) {
    throw InputError(fmt::format(
        "{} {} holds no cell; BEGIN:END is the cells from BEGIN to END - 1", cells_option, item));
  }
  return range;
}

}  // namespace

std::vector<std::int64_t> parse_cell_list(const std::string& text, std::int64_t cells) {
  std::vector<std::int64_t> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const auto [first, end] = parse_item(text.substr(begin, comma - begin), cells);
    if (static_cast<std::int64_t>(list.size()) + end - first > most_listed_cells) {
      throw InputError(
          fmt::format("{} lists more than {} cells; take fewer, or whole layers (--layers)",
                      cells_option, most_listed_cells));
    }
    for (std::int64_t cell = first; cell < end; ++cell) list.push_back(cell);
    begin = comma + 1;
  }
  return list;
}

OptionGroup result_options() {
  std::string formats;
  for (const ResultFormat& format : result_formats()) {
    formats += (formats.empty() ? "" : "|") + format.word;
  }
  return {
      "Results",
      {{"format", formats, "Without it, the ending of the output's name decides; else a table"},
       {"output", "FILE|-",
        "Write the results to this file, whole or not at all; - is standard output"},
       {"layer", "FILE.npy",
        "Write the final layer to this NumPy file, in the precision of the computation"},
       {"layers", "FILE.npy",
        "Write the layer after each storm to this NumPy file: storms x cells"},
       {"plot", "", "Draw the final layer, with marks at the storms' maxima"},
       {"cells-at", "LIST",
        "Show these cells after each storm: 10,20:30 is cell 10 and cells 20 to 29, as in NumPy"},
       {"peaks", "N", "Show the N highest local maxima after each storm"},
       {"report", "FILE.html",
        "Write a page for a browser: layers to zoom into, the maxima, and what ran where"}}};
}

const ResultFormat& result_format(const Arguments& given) {
  const std::string output = given.output().value_or("");
  const auto is_meant = [&](const ResultFormat& format) {
    if (given.has("format")) return format.word == given.word("format");
    return !format.ending.empty() && output.ends_with(format.ending);
  };
  const auto found = std::ranges::find_if(result_formats(), is_meant);
  const ResultFormat& format = found == result_formats().end() ? result_formats().front() : *found;
  if ((given.has("cells-at") || given.has("peaks")) && !format.has_cells) {
    throw InputError(
        fmt::format("--format {} has no place for --cells-at and --peaks", format.word));
  }
  return format;
}

void check_files(const Arguments& given, const RunOptions& options) {
  std::vector<std::string> inputs = options.storm_paths;
  if (options.initial_path) inputs.push_back(*options.initial_path);
  std::vector<std::pair<std::string, std::string>> files;  // options and what they name
  for (const std::string option : {"output", "layer", "layers", "report"}) {
    const auto path = option == "output" ? given.output() : given.given(option);
    if (!path) continue;
    for (const auto& [other_option, other_path] : files) {
      if (!same_file(*path, other_path)) continue;
      throw InputError(fmt::format("{} and --{} both name {}; give them two files", other_option,
                                   option, other_path));
    }
    files.emplace_back("--" + option, *path);
    check_output(files.back().first, *path, inputs, given.has("quiet"));
    check_writable(*path);
  }
}

}  // namespace bombard::tools
