#include "tools/cli/reports/layer_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace bombard {

namespace {

constexpr int rows = 12;
constexpr int narrowest = 30;
constexpr std::int64_t widest_cell = 4;  // columns
constexpr int label_width = 12;          // "-1.23457e+08"
constexpr int margin_width = label_width + 2;

struct Characters {
  std::string_view blocks[9];  // filled from below by 0, 1, ... 8 eighths
  std::string_view label, no_label, corner, tick, line, mark;
};
constexpr Characters block_characters{
    {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "┤", "│", "└", "┬", "─", "▲"};
constexpr Characters ascii_characters{
    {" ", " ", ".", ".", ":", ":", ":", "#", "#"}, "+", "|", "+", "+", "-", "^"};

/// Centres a label on a column of the line, if it has room. Labels come from left to right.
void place(std::string& line, std::size_t column, std::string_view label) {
  if (label.size() > line.size()) return;
  const std::size_t half = std::min(column, (label.size() - 1) / 2);
  const std::size_t begin = std::min(column - half, line.size() - label.size());
  // One blank keeps labels apart.
  if (line.find_first_not_of(' ', begin == 0 ? 0 : begin - 1) != std::string::npos) return;
  line.replace(begin, label.size(), label);
}

/// A line, without the blanks at its end.
std::string line_of(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

class Plot {
 public:
  template <class Value>
  Plot(std::span<const Value> layer, int width, const Characters& characters)
      : characters_(characters), cells_(static_cast<std::int64_t>(layer.size())) {
    const int room = width - margin_width;
    columns_ = cells_ > room ? room : cells_ * std::min(room / cells_, widest_cell);
    for (std::int64_t column = 0; column < columns_; ++column) {
      const std::int64_t first = first_cell(column);
      const std::int64_t end = std::max(first_cell(column + 1), first + 1);
      double largest = layer[first];
      for (const Value value : layer.subspan(first, end - first)) {
        largest = std::fmax(largest, value);
      }
      values_.push_back(largest);
    }
    double farthest = 0;  // from 0, of the finite values
    for (const double value : values_) {
      if (std::isfinite(value)) farthest = std::max(farthest, std::abs(value));
    }
    if (farthest == 0) farthest = 1;
    double bottom = 0, top = 0;
    for (const double value : values_) {
      all_finite_ &= std::isfinite(value);
      // A bar of infinite height is as high as the others.
      bottom = std::min(bottom, std::max(value, -farthest));
      top = std::max(top, std::min(value, farthest));
    }
    take_round_height(bottom, top > bottom ? top : 1);
  }

  /// What a column shows, in words.
  std::string title() const {
    const std::int64_t fewest = cells_ / columns_;
    const std::string or_more = cells_ % columns_ == 0 ? "" : fmt::format(" or {}", fewest + 1);
    const std::string what =
        columns_ >= cells_
            ? "each bar is a cell"
            : fmt::format("each column is the largest of {}{} cells", fewest, or_more);
    return what + (all_finite_ ? "\n" : "; some are infinite, or no numbers, and not to scale\n");
  }

  /// One line per row, the highest first, with round values on the left.
  std::string bars() const {
    std::string text;
    for (int row = above_; row-- > -below_;) {
      // The value belongs to the line's upper edge.
      std::string line =
          label(row + 1, is_round(row + 1) ? characters_.label : characters_.no_label);
      for (const double value : values_) line += piece(value, row);
      text += line_of(line);
    }
    return text;
  }

  /// The axis of cell numbers, with ticks at round ones, all that have room.
  std::string axis() const {
    std::string numbers(columns_, ' ');
    std::vector<bool> has_tick(columns_);
    const std::int64_t step = tick_step();
    for (std::int64_t cell = 0; cell < cells_; cell += step) {
      has_tick[column_of(cell)] = true;
      place(numbers, column_of(cell), std::to_string(cell));
    }
    std::string text = label(-below_, characters_.corner);
    for (const bool tick : has_tick) text += tick ? characters_.tick : characters_.line;
    return text + '\n' + line_of(std::string(margin_width, ' ') + numbers);
  }

  /// An arrow below each column with a storm's maximum, and the numbers of those storms if they
  /// have room.
  std::string marks(std::span<const Maximum> maxima) const {
    std::map<std::int64_t, std::vector<std::size_t>> storms_at;  // the columns
    for (std::size_t storm = 0; storm < maxima.size(); ++storm) {
      if (maxima[storm].value > 0) {
        storms_at[column_of(maxima[storm].position)].push_back(storm + 1);
      }
    }
    if (storms_at.empty()) return {};
    std::string arrows(margin_width, ' ');
    for (std::int64_t column = 0; column < columns_; ++column) {
      arrows += storms_at.contains(column) ? characters_.mark : " ";
    }
    std::string numbers(columns_, ' ');
    for (const auto& [column, storms] : storms_at) {
      place(numbers, column, fmt::format("{}", fmt::join(storms, ",")));
    }
    return line_of(arrows) + line_of(fmt::format("{:>{}}{}", "storm  ", margin_width, numbers));
  }

 private:
  /// The first of the cells that a column shows, or its only one.
  std::int64_t first_cell(std::int64_t column) const { return column * cells_ / columns_; }
  /// The column in the middle of those that show the cell.
  std::int64_t column_of(std::int64_t cell) const {
    return ((cell + 1) * columns_ - 1) / cells_ - columns_ / cells_ / 2;
  }

  /// Cells from one tick to the next: 1, 2, 2.5 or 5 times a power of ten, with enough room for the
  /// numbers.
  std::int64_t tick_step() const {
    const auto distance = static_cast<double>(std::to_string(cells_).size() + 3);
    const double least = distance * static_cast<double>(cells_) / columns_;
    for (std::int64_t power = 1;; power *= 10) {
      for (const std::int64_t step : {power, 2 * power, 5 * power / 2, 5 * power}) {
        if (static_cast<double>(step) >= least) return step;
      }
    }
  }

  /// Takes the least height of a row with which all rows suffice; a few rows make a round number.
  void take_round_height(double bottom, double top) {
    constexpr std::pair<double, int> heights[] = {{1, 5},   {1.25, 4}, {2, 5},
                                                  {2.5, 4}, {4, 5},    {5, 4}};
    const double least = std::max(top / rows - bottom / rows, std::numeric_limits<double>::min());
    const double power = std::floor(std::log10(least));
    for (int i = 0; i == 0 || above_ + below_ > rows; ++i) {
      height_ = heights[i % 6].first * std::pow(10.0, power + i / 6);
      rows_of_label_ = heights[i % 6].second;
      above_ = static_cast<int>(std::ceil(top / height_));
      below_ = static_cast<int>(std::ceil(-bottom / height_));
    }
    if (std::max(above_, below_) < rows_of_label_) rows_of_label_ = 2;
  }

  bool is_round(int row) const { return row % rows_of_label_ == 0; }

  /// The text left of an edge that is `row` rows above the line of 0: its value, if round.
  std::string label(int row, std::string_view edge) const {
    const bool has_value = is_round(row) && std::isfinite(row * height_);
    return fmt::format("{:>{}} {}", has_value ? fmt::format("{:.6g}", row * height_) : "",
                       label_width, edge);
  }

  /// The part of a bar, up or down from 0, that a row shows; rows count up from the line of 0.
  std::string_view piece(double value, int row) const {
    if (std::isnan(value)) return characters_.blocks[0];
    const double filled = row >= 0 ? value / height_ - row : row + 1 - value / height_;
    const int eighths = static_cast<int>(std::clamp(std::round(8 * filled), 0.0, 8.0));
    return characters_.blocks[row >= 0 ? eighths : eighths < 4 ? 0 : 8];
  }

  const Characters& characters_;
  std::int64_t cells_, columns_;  // a product of both fits into 64 bits: the cells are in memory
  std::vector<double> values_;    ///< the largest of the cells that each column shows
  bool all_finite_ = true;
  int above_ = 0, below_ = 0;  ///< rows above and below the line of 0
  int rows_of_label_ = 0;      ///< rows from one label to the next
  double height_ = 0;          ///< of a row
};

}  // namespace

std::string plot_layer(const LayerView& layer, std::span<const Maximum> maxima, int width,
                       bool in_ascii) {
  const auto drawn = [&](const auto& cells) {
    return Plot(cells, std::max(width, narrowest), in_ascii ? ascii_characters : block_characters);
  };
  const Plot plot = std::visit(drawn, layer);
  return plot.title() + plot.bars() + plot.axis() + plot.marks(maxima);
}

}  // namespace bombard
