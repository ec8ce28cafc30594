#include "tools/cli/cell_list.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <variant>

#include "bombard/errors.hpp"
#include "tools/cli/arguments.hpp"

namespace bombard::tools {

namespace {

constexpr const char* option = "--cells-at";

CellRange parse_item(const std::string& item, std::int64_t cells) {
  const std::size_t colon = item.find(':');
  if (colon == std::string::npos) {
    const std::int64_t cell = whole_number(item, option, 0, cells - 1);
    return {cell, cell + 1};
  }
  const CellRange range{whole_number(item.substr(0, colon), option, 0, cells - 1),
                        whole_number(item.substr(colon + 1), option, 1, cells)};
  if (range.count() < 1) {
    throw InputError(fmt::format(
        "{} {} holds no cell; BEGIN:END is the cells from BEGIN to END - 1", option, item));
  }
  return range;
}

}  // namespace

std::vector<CellRange> parse_cell_list(const std::string& text, std::int64_t cells) {
  std::vector<CellRange> list;
  std::int64_t count = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    list.push_back(parse_item(text.substr(begin, comma - begin), cells));
    count += list.back().count();
    if (count > most_listed_cells) {
      throw InputError(
          fmt::format("{} lists more than {} cells; take fewer, or whole layers (--layers)", option,
                      most_listed_cells));
    }
    begin = comma + 1;
  }
  return list;
}

std::vector<CellValue> values_at(std::span<const CellRange> list, const LayerView& layer) {
  std::vector<CellValue> values;
  for (const CellRange& range : list) {
    for (std::int64_t cell = range.begin; cell < range.end; ++cell) {
      const double value = std::visit(
          [&](const auto& cells) -> double { return cells[static_cast<std::size_t>(cell)]; },
          layer);
      values.push_back({cell, value});
    }
  }
  return values;
}

}  // namespace bombard::tools
