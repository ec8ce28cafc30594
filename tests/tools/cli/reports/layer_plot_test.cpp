#include "tools/cli/reports/layer_plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tests/text.hpp"

namespace bombard {
namespace {

using tests::contains;
using tests::lines_of;

/// Characters of UTF-8 text: bytes that do not continue one.
std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

template <class Value>
std::string drawn(const std::vector<Value>& layer, std::span<const Maximum> maxima, int width,
                  bool in_ascii = false) {
  return plot_layer(std::span(layer), maxima, width, in_ascii);
}

TEST(LayerPlot, ThreeCellsByHand) {
  // 24 eighths per row of height 1: 12 is full, 6 is half, 0.5 is half a row.
  const std::vector<float> layer{6, 12, 0.5F};
  const std::vector<Maximum> maxima{{1, 12}};
  EXPECT_EQ(drawn(layer, maxima, 60),
            "each bar is a cell\n"
            "             │    ████\n"
            "             │    ████\n"
            "          10 ┤    ████\n"
            "             │    ████\n"
            "             │    ████\n"
            "             │    ████\n"
            "             │████████\n"
            "           5 ┤████████\n"
            "             │████████\n"
            "             │████████\n"
            "             │████████\n"
            "             │████████▄▄▄▄\n"
            "           0 └─┬───┬───┬──\n"
            "               0   1   2\n"
            "                   ▲\n"
            "       storm       1\n");
}

TEST(LayerPlot, AColumnShowsTheLargestOfItsCells) {
  // 46 columns of 1000 cells each; the spike is one cell of column 10.
  std::vector<float> layer(46000, 0.0F);
  layer[10999] = 12;
  const auto lines = lines_of(drawn(layer, std::vector<Maximum>{{10999, 12}}, 60));
  EXPECT_EQ(lines[0], "each column is the largest of 1000 cells");
  EXPECT_EQ(lines[15], std::string(14 + 10, ' ') + "▲");
  for (std::size_t row = 1; row <= 12; ++row) {
    EXPECT_TRUE(lines[row].ends_with((row % 5 == 3 ? "┤" : "│") + std::string(10, ' ') + "█"));
  }
  EXPECT_TRUE(contains(drawn(std::vector<float>(47), {}, 60),
                       "each column is the largest of 1 or 2 cells\n"));
}

// 21791.8 in 12 rows takes at least 1816 per row: rows of 2000, and every fifth one is round.
TEST(LayerPlot, LabelsAreRound) {
  const auto labels = [](float highest, float lowest) {
    std::string found;
    for (const std::string& line : lines_of(drawn(std::vector<float>{highest, lowest}, {}, 60))) {
      std::istringstream words(line);
      std::string word, edge;
      if (words >> word >> edge && (edge.starts_with("┤") || edge.starts_with("└")))
        found += word + ' ';
    }
    return found;
  };
  EXPECT_EQ(labels(21791.8F, 0), "20000 10000 0 ");
  EXPECT_EQ(labels(0.0997F, 0), "0.1 0.05 0 ");
  EXPECT_EQ(labels(7, -93), "0 -50 -100 ");
  EXPECT_FALSE(contains(drawn(std::vector<float>{0}, {}, 60), "█"));
  EXPECT_EQ(labels(3e38F, -3e38F), "4e+38 2e+38 0 -2e+38 -4e+38 ");
}

TEST(LayerPlot, BothSignsMeetAt0InAsciiToo) {
  EXPECT_EQ(drawn(std::vector<float>{6, -2.5F, 3.3F, 0}, std::vector<Maximum>{{2, 3.3F}}, 60, true),
            "each bar is a cell\n"
            "             |####\n"
            "           5 +####\n"
            "             |####    ....\n"
            "             |####    ####\n"
            "             |####    ####\n"
            "             |####    ####\n"
            "           0 +    ####\n"
            "             |    ####\n"
            "             |    ####\n"
            "             +-+---+---+---+--\n"
            "               0   1   2   3\n"
            "                       ^\n"
            "       storm           1\n");
}

// Sums of large layers overflow; and a double may be too large for a float.
TEST(LayerPlot, WhatIsNotFiniteReachesToTheEdge) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const auto lines = lines_of(drawn(std::vector<double>{6, infinite, 12, -infinite, NAN}, {}, 60));
  EXPECT_EQ(lines[0], "each bar is a cell; some are infinite, or no numbers, and not to scale");
  EXPECT_EQ(lines[1], "             │    ████████");
  EXPECT_EQ(lines[2], "          10 ┤    ████████");
  EXPECT_EQ(lines[12], "         -10 ┤            ████");
  for (const double highest : {1e300, 1.7e308, 1e-310, 5e-324, infinite}) {
    for (const double lowest : {0.0, -highest, -1e3, -1e-310}) {
      const std::string text = drawn(std::vector<double>{highest, lowest, -NAN}, {}, 60);
      EXPECT_FALSE(contains(text, "nan") || contains(text, " inf ") || contains(text, "-inf"))
          << text;
      if (highest >= std::max(-lowest, 1e-300)) {
        EXPECT_TRUE(contains(text, "│████")) << text;
      }
    }
  }
  EXPECT_TRUE(contains(drawn(std::vector<double>{1e300, 4e299}, {}, 60), "1e+300 ┤████\n"));
}

TEST(LayerPlot, NumbersStandWhereTheyHaveRoom) {
  const std::vector<Maximum> maxima{{5, 1}, {5, 2}, {6, 1}, {0, 0}, {12, 1}};
  EXPECT_TRUE(contains(drawn(std::vector<float>(46, 1.0F), maxima, 60),
                       "                   ▲▲     ▲\n"
                       "       storm      1,2     5\n"));
}

TEST(LayerPlot, NoLineIsWiderThanTheTerminal) {
  for (const std::size_t cells : {1U, 2U, 3U, 26U, 27U, 65U, 66U, 67U, 1023U, 100003U}) {
    std::vector<float> layer(cells);
    std::vector<Maximum> maxima;
    for (std::size_t k = 0; k < cells; ++k) {
      layer[k] = static_cast<float>(k % 17) - 3;
      if (k % (1 + cells / 30) == 0) maxima.push_back({static_cast<std::int64_t>(k), 1});
    }
    for (const int width : {30, 41, 60, 80, 133}) {
      const std::vector<std::string> lines = lines_of(drawn(layer, maxima, width));
      for (const std::string& line : std::span(lines).subspan(1)) {  // the title may be wider
        EXPECT_LE(characters(line), static_cast<std::size_t>(width)) << cells << ": " << line;
      }
    }
  }
}

}  // namespace
}  // namespace bombard
