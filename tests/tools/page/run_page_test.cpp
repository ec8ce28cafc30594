#include "tools/page/run_page.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bombard/errors.hpp"
#include "tests/text.hpp"
#include "tools/page/embedded.hpp"
#include "tools/page/html.hpp"

namespace bombard::tools {
namespace {

using tests::contains;

class RunPageTest : public testing::Test {
 protected:
  void SetUp() override {
    if (embedded_files.dygraphs_script.empty()) GTEST_SKIP() << "built without dygraphs";
  }
};

/// As they are in the page (html_test.cpp).
std::string encoded(const std::vector<float>& numbers) {
  return base64(std::as_bytes(std::span(numbers)));
}

/// The text between two marks.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t begin = text.find(before) + before.size();
  return text.substr(begin, text.find(after, begin) - begin);
}

nlohmann::json layers_of(const std::string& page) {
  return nlohmann::json::parse(
      between(page, "<script type=\"application/json\" id=\"layers\">", "</script>"));
}

SimulationResult result_of(std::int64_t cells, const std::vector<StormResult>& storms) {
  SimulationResult result{};
  result.plan.engine = "cpu_direct";
  result.plan.device = "Example <9000>";
  result.plan.cells = cells;
  result.storms = storms;
  return result;
}

TEST_F(RunPageTest, TheLayersComeBack) {
  const std::vector<float> first = {0, 3, 1, -2.5F};
  const std::vector<double> second = {0, 0, 0, std::numeric_limits<double>::quiet_NaN()};
  const std::vector<StormResult> storms = {{"a", 2, {1, 3}}, {"b", 1, {}}};
  RunPage page(4, 2);
  page.add(storms[0], std::span(first));
  page.add(storms[1], std::span(second));
  const nlohmann::json run = layers_of(page.text(result_of(4, storms), {}));
  const std::string whole = encoded({0, 3, 1, -2.5F});
  EXPECT_EQ(run["cells"], 4);
  ASSERT_EQ(run["layers"].size(), 2U);
  EXPECT_EQ(run["layers"][0], nlohmann::json({{"storm", 1},
                                              {"position", 1},
                                              {"maximum", "3.000000"},
                                              {"runs", {{0, 4, 1}}},
                                              {"lowest", whole},
                                              {"highest", whole}}));
  EXPECT_TRUE(run["layers"][1]["position"].is_null());
  EXPECT_EQ(run["layers"][1]["highest"].get<std::string>().size(), whole.size());
}

TEST_F(RunPageTest, NamesAreText) {
  const std::string name = "</script><script>alert('1')</script>&\"\x01\xFF";
  const std::vector<float> layer(3);
  const std::vector<StormResult> storms = {{name, 1, {}}};
  RunPage page(3, 1);
  page.add(storms[0], std::span(layer));
  Provenance from;
  from.command = {"bombard", "run", "it's", name};
  from.host = name;
  const std::string text = page.text(result_of(3, storms), from);
  EXPECT_FALSE(contains(text, "alert('1')"));
  EXPECT_TRUE(contains(text,
                       "<td class=\"text\">&lt;/script&gt;&lt;script&gt;alert(&#39;1&#39;)"
                       "&lt;/script&gt;&amp;&quot;?"
                       "?</td>"));
  EXPECT_TRUE(contains(text, "<td>Example &lt;9000&gt;</td>"));
  EXPECT_TRUE(contains(text, "bombard run &#39;it&#39;\\&#39;&#39;s&#39; "));
}

/// The page of a run of `announced` storms, all with one maximum, after `done` of them.
std::string page_of_many(std::int64_t announced, std::size_t done) {
  const std::vector<float> layer = {0, 1, 0};
  SimulationResult result = result_of(3, std::vector<StormResult>(done, {"a", 1, {1, 1}}));
  result.storms_left = announced - static_cast<std::int64_t>(done);
  RunPage page(3, announced);
  for (const StormResult& storm : result.storms) page.add(storm, std::span(layer));
  return page.text(result, {});
}

TEST_F(RunPageTest, OfManyStormsItHasTheFirstAndTheLast) {
  const std::string text = page_of_many(1234, 1234);
  const nlohmann::json layers = layers_of(text)["layers"];
  ASSERT_EQ(layers.size(), 50U);
  EXPECT_EQ(layers[24]["storm"], 25);
  EXPECT_EQ(layers[25]["storm"], 1210);
  EXPECT_EQ(layers[49]["storm"], 1234);
  EXPECT_TRUE(contains(text, "Of 1234 storms the first 25 and the last 25 are shown."));
  EXPECT_TRUE(contains(text, "<td colspan=\"5\">234 storms left out</td>"));
  for (const auto& [storm, is_there] :
       {std::pair(500, true), {501, false}, {734, false}, {735, true}, {1234, true}}) {
    EXPECT_EQ(text.find("<tr data-storm=\"" + std::to_string(storm) + "\">") < text.size(),
              is_there);
  }
}

TEST_F(RunPageTest, OfAStoppedRunItHasTheStormsSoFar) {
  const std::string text = page_of_many(100, 60);
  EXPECT_EQ(layers_of(text)["layers"].size(), 25U);
  EXPECT_TRUE(contains(text, "<button type=\"button\" data-storm=\"25\">"));
  EXPECT_FALSE(contains(text, "<button type=\"button\" data-storm=\"26\">"));
  EXPECT_TRUE(contains(text, "<td>by a signal, 40 storms before the end</td>"));
}

TEST_F(RunPageTest, HasThreeMegabytesAtMost) {
  const std::vector<float> layer(1'000'000, 1.0F);
  const std::vector<StormResult> storms(50, {"a", 1, {600'000, 1}});
  RunPage page(1'000'000, 50);
  for (const StormResult& storm : storms) page.add(storm, std::span(layer));
  // A layer of 1e8 cells has 3 more steps on its way to single cells.
  const std::size_t steps = 50 * std::size_t{3 * 520 * 11};
  EXPECT_LT(page.text(result_of(1'000'000, storms), {}).size() + steps, 3'000'000U);
}

TEST(RunPage, NeedsDygraphs) {
  if (!embedded_files.dygraphs_script.empty()) GTEST_SKIP() << "built with dygraphs";
  EXPECT_THROW(RunPage(3, 1), CannotRun);
}

}  // namespace
}  // namespace bombard::tools
