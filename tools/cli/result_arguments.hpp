#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/reports/report.hpp"
#include "tools/cli/simulation_arguments.hpp"

namespace bombard::tools {

/// What `run` gives, and where: the options that say so.
struct ResultArguments {
  const ResultFormat* format = &result_formats().front();
  std::optional<std::string> output, layer, layers, page;  ///< files
  bool plot = false;
  std::vector<std::int64_t> cells_at;
  std::int64_t peaks = 0;

  /// Whether values of the layer stand beside the maxima.
  bool report_cells() const { return !cells_at.empty() || peaks > 0; }
  /// Whether the layer is shown, or written.
  bool shows_layer() const { return layer || layers || page || plot; }
};

/// The most cells whose values a table can usefully show; all of a layer is an array (--layers).
constexpr std::int64_t most_listed_cells = 10'000;

/// `--cells-at 10,20:30`: cells of a layer of `cells`, and ranges of them as NumPy has them, the
/// end left out; each cell by itself, in the order of the list. Throws InputError for what is none
/// of these, a cell that is not there, and more than most_listed_cells.
std::vector<std::int64_t> parse_cell_list(const std::string& text, std::int64_t cells);

OptionGroup result_options();

/// For a layer of `cells` cells. Throws InputError for a value that is none, and for an option that
/// has no place in the format.
ResultArguments result_arguments(const Arguments& given, std::int64_t cells);

/// Finds out before a long computation whether its results can be written: throws InputError when
/// two options name one file, when a file is one that is read, and as OutputFile does.
void check_files(const ResultArguments& results, const SimulationArguments& arguments);

}  // namespace bombard::tools
