#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bombard::tools {

/// The most cells whose values a table can usefully show; all of a layer is an array (--layers).
constexpr std::int64_t most_listed_cells = 10'000;

/// `--cells-at 10,20:30`: cells of a layer of `cells`, and ranges of them as NumPy has them, the
/// end left out; each cell by itself, in the order of the list. Throws InputError for what is none
/// of these, a cell that is not there, and more than most_listed_cells.
std::vector<std::int64_t> parse_cell_list(const std::string& text, std::int64_t cells);

}  // namespace bombard::tools
