#include "tools/cli/reports/layer_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace bombard {

namespace {

constexpr int rows = 12;
constexpr int narrowest = 30;
constexpr int widest_cell = 4;  // columns
constexpr int most_mark_lines = 4;

struct Characters {
  std::array<std::string_view, 9> blocks;  // an eighth from below, two eighths, ... the whole
  std::string_view upper_half;
  std::string_view label, no_label, corner, tick, line, mark;
};
constexpr Characters block_characters{
    {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "▀", "┤", "│", "└", "┬", "─", "▲"};
constexpr Characters ascii_characters{
    {" ", " ", ".", ".", ":", ":", ":", "#", "#"}, "'", "+", "|", "+", "+", "-", "^"};

/// Which cells each column shows.
struct Columns {
  std::int64_t cells;
  int count;             // columns
  int columns_per_cell;  // 1 where a column shows several cells

  Columns(std::int64_t layer_cells, int room) : cells(layer_cells) {
    if (cells <= room) {
      columns_per_cell = static_cast<int>(std::min<std::int64_t>(room / cells, widest_cell));
      count = static_cast<int>(cells) * columns_per_cell;
    } else {
      columns_per_cell = 1;
      count = room;
    }
  }
  std::int64_t first_cell(int column) const {
    if (cells <= count) return column / columns_per_cell;
    return static_cast<std::int64_t>(Product{column} * cells / count);
  }
  std::int64_t end_cell(int column) const {
    return cells <= count ? first_cell(column) + 1 : first_cell(column + 1);
  }
  /// The column in the middle of those that show the cell.
  int of(std::int64_t cell) const {
    if (cells <= count)
      return static_cast<int>(cell) * columns_per_cell + (columns_per_cell - 1) / 2;
    return static_cast<int>((Product{cell + 1} * count - 1) / cells);
  }

 private:
  __extension__ using Product = __int128;
};

/// Cells from one tick to the next: 1, 2, 2.5 or 5 times a power of ten, wide enough for the
/// numbers.
std::int64_t tick_step(const Columns& columns) {
  const auto distance = static_cast<double>(std::to_string(columns.cells).size() + 3);
  const double least = distance * static_cast<double>(columns.cells) / columns.count;
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t step : {power, 2 * power, 5 * power / 2, 5 * power}) {
      if (static_cast<double>(step) >= least) return step;
    }
  }
}

/// "1, 3-5": rising numbers, runs of them joined.
std::string joined(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text +=
        last == i ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[last]);
    i = last + 1;
  }
  return text;
}

/// Lines of text with labels put where there is room.
class LabelLines {
 public:
  LabelLines(std::size_t width, std::size_t most_lines) : width_(width), most_lines_(most_lines) {}

  /// Centres the label on the column, on the first line with room; false when none has any.
  bool place(std::size_t column, std::string_view label) {
    if (label.size() > width_) return false;
    const std::size_t half = (label.size() - 1) / 2;
    const std::size_t begin = std::min(column > half ? column - half : 0, width_ - label.size());
    for (std::size_t line = 0; line < most_lines_; ++line) {
      if (line == lines_.size()) lines_.emplace_back(width_, ' ');
      // One blank on each side keeps labels apart.
      const std::size_t from = begin == 0 ? 0 : begin - 1;
      const std::size_t to = std::min(begin + label.size() + 1, width_);
      if (lines_[line].find_first_not_of(' ', from) >= to) {
        lines_[line].replace(begin, label.size(), label);
        return true;
      }
    }
    return false;
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::size_t width_;
  std::size_t most_lines_;
  std::vector<std::string> lines_;
};

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

constexpr int label_width = 12;  // "-1.23457e+08"
constexpr int margin_width = label_width + 2;

std::string margin() {
  return std::string(margin_width, ' ');
}

std::string value_label(double value) {
  return fmt::format("{:.6g}", value);
}

/// The largest value of the cells that each column shows.
std::vector<double> largest_values(std::span<const float> layer, const Columns& columns) {
  std::vector<double> largest;
  for (int column = 0; column < columns.count; ++column) {
    largest.push_back(*std::max_element(layer.begin() + columns.first_cell(column),
                                        layer.begin() + columns.end_cell(column)));
  }
  return largest;
}

/// Rows above the line of 0 and below it, and what a row is high.
struct Rows {
  int above, below;
  double height;

  /// Shared out as the values need them, with 0 between two rows.
  Rows(double bottom, double top) {
    const double range = top > bottom ? top - bottom : 1;
    above = static_cast<int>(std::round(rows * top / range));
    above = std::clamp(above, top > 0 ? 1 : 0, bottom < 0 ? rows - 1 : rows);
    if (top <= bottom) above = rows;
    below = rows - above;
    height = std::max(above > 0 ? top / above : 0, below > 0 ? -bottom / below : 0);
    if (height == 0) height = 1.0 / rows;
  }
};

/// The part of a bar, up or down from 0, that a row shows; rows from the line of 0 on up.
std::string_view piece(double value, int row, const Rows& rows_of, const Characters& characters) {
  const double here = value / rows_of.height - row;  // of a bar upwards, how far it fills the row
  if (row >= 0) {
    const double eighths = std::clamp(std::round(8 * here), 0.0, 8.0);
    return characters.blocks[static_cast<std::size_t>(eighths)];
  }
  const double filled = 1 - here;
  return filled >= 0.75   ? characters.blocks.back()
         : filled >= 0.25 ? characters.upper_half
                          : characters.blocks.front();
}

/// One line per row of the plot, the highest first; values stand at the left of every fourth one.
std::string bars(const std::vector<double>& values, const Rows& rows_of,
                 const Characters& characters) {
  std::string text;
  for (int row = rows_of.above; row-- > -rows_of.below;) {
    // The value belongs to the line's upper edge.
    const bool labelled = (row + rows_of.below) % 4 == 3;
    std::string line =
        fmt::format("{:>{}} {}", labelled ? value_label((row + 1) * rows_of.height) : "",
                    label_width, labelled ? characters.label : characters.no_label);
    for (const double value : values) line += piece(value, row, rows_of, characters);
    text += without_trailing_blanks(line) + '\n';
  }
  return text;
}

/// The axis of cell numbers: ticks at round ones, all that have room.
std::string axis(const Columns& columns, double bottom, const Characters& characters) {
  LabelLines numbers(static_cast<std::size_t>(columns.count), 1);
  std::vector<bool> has_tick(static_cast<std::size_t>(columns.count));
  const std::int64_t step = tick_step(columns);
  for (std::int64_t cell = 0; cell < columns.cells; cell += step) {
    const auto column = static_cast<std::size_t>(columns.of(cell));
    has_tick[column] = true;
    numbers.place(column, std::to_string(cell));
  }
  std::string text = fmt::format("{:>{}} {}", value_label(bottom), label_width, characters.corner);
  for (const bool tick : has_tick) text += tick ? characters.tick : characters.line;
  text += '\n';
  for (const std::string& line : numbers.lines()) {
    text += without_trailing_blanks(margin() + line) + '\n';
  }
  return text;
}

/// An arrow below each column with a storm's maximum, and the numbers of those storms.
std::string marks(const Columns& columns, std::span<const Maximum> maxima,
                  const Characters& characters) {
  std::map<int, std::vector<std::size_t>> storms_at;
  for (std::size_t storm = 0; storm < maxima.size(); ++storm) {
    if (maxima[storm].value > 0) {
      storms_at[columns.of(maxima[storm].position)].push_back(storm + 1);
    }
  }
  if (storms_at.empty()) return {};

  std::string text = margin();
  for (int column = 0; column < columns.count; ++column) {
    text += storms_at.count(column) != 0 ? characters.mark : " ";
  }
  text = without_trailing_blanks(text) + '\n';
  LabelLines numbers(static_cast<std::size_t>(columns.count), most_mark_lines);
  std::size_t unplaced = 0;
  for (const auto& [column, storms] : storms_at) {
    if (!numbers.place(static_cast<std::size_t>(column), joined(storms))) unplaced += storms.size();
  }
  std::string before = fmt::format("{:>{}}", "storm  ", margin_width);
  for (const std::string& line : numbers.lines()) {
    text += without_trailing_blanks(before + line) + '\n';
    before = margin();
  }
  if (unplaced > 0) {
    const std::string whole =
        fmt::format("{}storms without room for their number: {}", margin(), unplaced);
    text += columns.count + margin_width < static_cast<int>(whole.size())
                ? fmt::format("storms without number: {}\n", unplaced)
                : whole + '\n';
  }
  return text;
}

/// The cells of a column in words, shorter where there is no room.
std::string title(const Columns& columns, int room) {
  if (columns.cells <= columns.count) return "each bar is a cell\n";
  const std::int64_t fewest = columns.cells / columns.count;
  const std::string cells = columns.cells % columns.count == 0
                                ? fmt::format("{} cell{}", fewest, fewest == 1 ? "" : "s")
                                : fmt::format("{} or {} cells", fewest, fewest + 1);
  const std::string whole = "each column is the largest of " + cells;
  return (whole.size() <= static_cast<std::size_t>(room) ? whole : cells + " a column") + '\n';
}

}  // namespace

std::string plot_layer(std::span<const float> layer, std::span<const Maximum> maxima, int width,
                       PlotCharacters wanted) {
  const Characters& characters =
      wanted == PlotCharacters::blocks ? block_characters : ascii_characters;
  const auto cells = static_cast<std::int64_t>(layer.size());
  const int room = std::max(width, narrowest);
  const Columns columns(cells, room - margin_width);
  const std::vector<double> values = largest_values(layer, columns);
  const double bottom = std::min(0.0, *std::min_element(values.begin(), values.end()));
  const double top = std::max(0.0, *std::max_element(values.begin(), values.end()));
  const Rows rows_of(bottom, top);
  return title(columns, room) + bars(values, rows_of, characters) +
         axis(columns, -rows_of.below * rows_of.height, characters) +
         marks(columns, maxima, characters);
}

}  // namespace bombard
