#include "tools/cli/reports/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "sim/validation.hpp"
#include "tests/inputs/temporary_directory.hpp"
#include "tests/text.hpp"

namespace bombard {
namespace {

using tests::contains;
using tests::matches;

SimulationResult two_storms() {
  SimulationResult result{};
  result.plan = {.cells = 35, .engine = "cpu_direct", .device = "Example 9000", .threads = 4};
  result.storms = {{"waves/a", 8, {14, 10913.3466796875}}, {"b", 1, {0, 0}}};
  result.storms[0].seconds = 1.25;
  result.reading_seconds = 0.25;
  result.start_seconds = 0;
  result.simulation_seconds = 1.5;
  result.total_seconds = 1.75;
  return result;
}

std::string text_of(const std::string& word, const SimulationResult& result,
                    const Provenance& from = {}) {
  return report(*std::ranges::find(result_formats(), word, &ResultFormat::word), result, from);
}

/// The same with this storm alone.
SimulationResult one_storm(const std::string& file, const Maximum& maximum) {
  SimulationResult result = two_storms();
  result.storms = {{file, 1, maximum}};
  return result;
}

/// The document as another program reads it.
nlohmann::json read_json(const SimulationResult& result) {
  return nlohmann::json::parse(text_of("json", result));
}

/// A file's name after it has been written and read.
std::string read_name(const std::string& file) {
  return read_json(one_storm(file, {1, 2.5}))["storms"][0]["file"];
}

/// The first storm with cells and peaks, the second one without a peak.
SimulationResult with_cells() {
  SimulationResult result = two_storms();
  result.storms[0].cells = {{10, 0.9112625122070312}, {3, -2}};
  result.storms[1].cells = {{10, 1e9}, {3, 0}};
  result.storms[0].peaks = {{{14, 10913.3466796875}, {20, 5.5}}};
  return result;
}

/// What is expected of with_cells() in a file with this extension.
std::string golden(const std::string& extension) {
  return std::regex_replace(
      content_of(BOMBARD_SOURCE_DIR "/tests/tools/cli/reports/golden/run." + extension),
      std::regex("VERSION"), BOMBARD_VERSION);
}

TEST(Report, TableAndCsv) {
  EXPECT_EQ(text_of("table", with_cells(), {.peaks = 2}), golden("txt"));
  EXPECT_EQ(text_of("csv", with_cells(), {.peaks = 2}), golden("csv"));
}

// As one object, or with a line for each storm.
TEST(Report, Json) {
  const Provenance from{
      {"bombard", "run", "35", "a \"b\"\n"}, "0123456789ab", "cellar", "2025-01-31T08:15:00Z", 2};
  SimulationResult result = with_cells();
  result.plan.method = Method::fast;
  result.storms[0].evidence = {.candidates = 12, .bound = 0.125, .cells_seen = 40};
  result.storms[1].evidence = {.direct = true, .candidates = 35, .why = "too many"};
  const auto expected = nlohmann::ordered_json::parse(golden("json"));
  EXPECT_EQ(nlohmann::ordered_json::parse(text_of("json", result, from)), expected);
  const std::vector<std::string> lines = tests::lines_of(text_of("ndjson", result, {.peaks = 2}));
  ASSERT_EQ(lines.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    nlohmann::json storm = expected["storms"][i];
    storm.erase("seconds");
    storm["storm"] = i + 1;
    EXPECT_EQ(nlohmann::json::parse(lines[i]), storm);
  }
  const nlohmann::json plain = read_json(two_storms())["storms"][0];
  for (const char* const none : {"peaks", "cells_at", "candidates"}) {
    EXPECT_FALSE(plain.contains(none)) << none;
  }
}

TEST(Report, EvidenceForPeople) {
  EXPECT_EQ(report(Evidence{false, 1, 0.000298}), "1 candidate, bound 0.0003");
  EXPECT_EQ(report(Evidence{.direct = true, .why = "too many"}), "computed directly: too many");
  EXPECT_EQ(
      report(Evidence{.candidates = 2, .bound = 0.01, .cells_seen = 40, .why = "it is small"}),
      "2 candidates, bound 0.01, 40 cells looked at, the layer was stored: it is small");
}

TEST(Report, AnyFileNameKeepsJsonAndCsvWhole) {
  EXPECT_EQ(read_name("a\"b\\c\n\x01\xC3\xA9"), "a\"b\\c\n\x01\xC3\xA9");
  EXPECT_EQ(read_name("a\xFFz"), "a\xEF\xBF\xBDz");  // U+FFFD
  // JSON has no infinity.
  const SimulationResult infinite = one_storm("a", {1, std::numeric_limits<double>::infinity()});
  EXPECT_TRUE(read_json(infinite)["storms"][0]["maximum"].is_null());
  EXPECT_TRUE(contains(text_of("csv", one_storm("say \"a\"\r\n", {1, 2.5})),
                       ",35,1,\"say \"\"a\"\"\r\n\",1,1,2.5,2.500000,"));
}

TEST(Report, PrintableKeepsTheTerminalSafe) {
  tests::expect_messages({{"a \"b\" \\c", "a \"b\" \\c"},
                          {"\x1b[2Ja\nb\x7f", R"(\x1b[2Ja\nb\x7f)"},
                          {"\xC2\x9B\x33\x31m", R"(\x9b31m)"},  // the control character U+009B
                          {"\xC3\xA9\xFF", "\xC3\xA9\\xff"},
                          {"\xC0\xAF", R"(\xc0\xaf)"},          // overlong "/"
                          {"\xED\xA0\x80", R"(\xed\xa0\x80)"},  // half of a pair
                          {"\xE2\x82", R"(\xe2\x82)"},          // cut short
                          {"a\u202Etxt.exe\u2066\uFEFF", R"(a\u202etxt.exe\u2066\ufeff)"},
                          {"\u05D0\u4E16\U0001F600", "\u05D0\u4E16\U0001F600"}},
                         printable);
}

TEST(Report, ValidationShowsBothAnswersAndTheVerdict) {
  Plan plan{.cells = 35, .engine = "cpu_direct", .device = "Example 9000"};
  std::vector<StormComparison> storms;
  storms.push_back({"a", 8, {14, 10.5}, {14, 10.5}, true, LayerComparison{}});
  EXPECT_TRUE(matches(validation_report(plan, storms), "*every bit of the layer after 1 storm\n"));
  storms.push_back({"b", 1, {3, 2}, {4, 2}, false, {}});
  EXPECT_EQ(validation_report(plan, storms),
            "35 cells; cpu_direct on Example 9000 against reference\n"
            "\n"
            "storm  impacts  position maximum  reference     differing cells  agree  file\n"
            "    1        8  14 10.500000      14 10.500000                0  yes    a\n"
            "    2        1  3 2.000000        4 2.000000           no layer  NO     b\n"
            "\n"
            "DIFFERENT after 1 of 2 storms\n");
  plan.precision = Precision::binary64;
  storms[0].layer = {0, 3e-7};
  EXPECT_TRUE(
      contains(validation_report(plan, storms), "the largest relative error of a cell is 3e-07\n"));
}

}  // namespace
}  // namespace bombard
