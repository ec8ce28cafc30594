#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/cli/reports/report.hpp"
#include "tools/cli/simulation_arguments.hpp"

namespace bombard::tools {

// What `run` outputs, and where: the options that say so.

/// The largest number of cells whose values a table can usefully show; a whole layer is an array
/// (--layers).
constexpr std::int64_t most_listed_cells = 10'000;

/// `--cells-at 10,20:30`: cells of a layer of `cells`, and ranges that exclude their end, as in
/// NumPy. Returns every single cell, in the order of the list. Throws InputError for anything else,
/// for a cell that is not in the layer, and for more than most_listed_cells.
std::vector<std::int64_t> parse_cell_list(const std::string& text, std::int64_t cells);

OptionGroup result_options();

/// The requested format; otherwise the one for the ending of the output's name; otherwise the
/// table. Throws InputError if the format has no place for an option.
const ResultFormat& result_format(const Arguments& given);

/// Finds out before a long computation whether its results can be written: throws InputError when
/// two options name the same file, when a file is one that is read, and as OutputFile does.
void check_files(const Arguments& given, const RunOptions& options);

}  // namespace bombard::tools
