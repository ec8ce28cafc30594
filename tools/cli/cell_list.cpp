#include "tools/cli/cell_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "bombard/errors.hpp"
#include "tools/cli/arguments.hpp"

namespace bombard::tools {

namespace {

constexpr const char* option = "--cells-at";

/// The first cell of an item, and the cell behind its last one.
std::pair<std::int64_t, std::int64_t> parse_item(const std::string& item, std::int64_t cells) {
  const std::size_t colon = item.find(':');
  if (colon == std::string::npos) {
    const std::int64_t cell = whole_number(item, option, 0, cells - 1);
    return {cell, cell + 1};
  }
  if (colon == 0 || colon + 1 == item.size()) {
    throw InputError(fmt::format("{} {} lacks its {}; BEGIN:END is the cells from BEGIN to END - 1",
                                 option, item, colon == 0 ? "BEGIN" : "END"));
  }
  const std::pair range(whole_number(item.substr(0, colon), option, 0, cells - 1),
                        whole_number(item.substr(colon + 1), option, 1, cells));
  if (range.first >= range.second) {
    throw InputError(fmt::format(
        "{} {} holds no cell; BEGIN:END is the cells from BEGIN to END - 1", option, item));
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
          fmt::format("{} lists more than {} cells; take fewer, or whole layers (--layers)", option,
                      most_listed_cells));
    }
    for (std::int64_t cell = first; cell < end; ++cell) list.push_back(cell);
    begin = comma + 1;
  }
  return list;
}

}  // namespace bombard::tools
