#include "tools/page/run_page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "tests/text.hpp"
#include "tools/page/embedded.hpp"

namespace bombard::tools {
namespace {

using tests::contains;

class RunPageTest : public testing::Test {
 protected:
  void SetUp() override {
    if (embedded_run_page.empty()) GTEST_SKIP() << "built without dygraphs";
  }
};

/// The layers that a page holds as JSON.
nlohmann::json layers_of(const std::string& page) {
  const std::string mark = "<script type=\"application/json\" id=\"layers\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

SimulationResult result_of(std::int64_t cells, const std::vector<StormResult>& storms) {
  SimulationResult result{};
  result.plan.engine = "cpu_direct";
  result.plan.device = "Example <9000>";
  result.plan.cells = cells;
  result.storms = storms;
  return result;
}

/// The layers in a page of one storm.
nlohmann::json layer_of(const LayerView& layer, std::int64_t cells, const Maximum& maximum) {
  const std::vector<StormResult> storms = {{"a", 2, maximum}};
  RunPage page(cells, 1);
  page.add(storms[0], layer);
  const nlohmann::json run = layers_of(page.text(result_of(cells, storms), {}));
  EXPECT_EQ(run["cells"], cells);
  return run["layers"].at(0);
}

TEST_F(RunPageTest, ASmallLayerIsThereCellByCell) {
  const std::vector<float> layer = {0, 3, 1, -2.5F};
  EXPECT_EQ(layer_of(std::span(layer), 4, {1, 3}),
            nlohmann::json({{"storm", 1},
                            {"position", 1},
                            {"maximum", "3.000000"},
                            {"points", {{0, 0}, {1, 3}, {2, 1}, {3, -2.5}}}}));
  const std::vector<double> infinite = {0, 1e300, 0};
  const nlohmann::json shown = layer_of(std::span(infinite), 3, {});
  EXPECT_TRUE(shown["position"].is_null());
  EXPECT_EQ(shown["points"].dump(), "[[0,0.0],[1,null],[2,0.0]]");
}

TEST_F(RunPageTest, ALargeLayerIsThereInBinsAndAroundItsMaximum) {
  std::vector<double> layer(10'001);
  std::iota(layer.begin(), layer.end(), 0);
  const nlohmann::json points =
      layer_of(std::span<const double>(layer), 10'001, {9'500, 1})["points"];
  ASSERT_EQ(points.size(), 1417U + 1501U);
  EXPECT_EQ(points[1].dump(), "[6,6.0,11.0]");
  EXPECT_EQ(points[1416].dump(), "[8496,8496.0,8499.0]");  // a bin that ends where cells begin
  EXPECT_EQ(points[1417].dump(), "[8500,8500.0]");
  EXPECT_EQ(points.back().dump(), "[10000,10000.0]");
  const nlohmann::json both =
      layer_of(std::span<const double>(layer), 10'001, {4'500, 1})["points"];
  EXPECT_EQ(both[584 + 2000].dump(), "[5500,5500.0,5501.0]");
  EXPECT_EQ(both.back().dump(), "[9996,9996.0,10000.0]");
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
                       "&lt;/script&gt;&amp;&quot;\\x01\\xff</td>"));
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
  EXPECT_TRUE(contains(text, "Storms 1 to 25 and from 1210 on are shown."));
  EXPECT_TRUE(contains(text, "<tr data-storm=\"600\">"));
}

TEST_F(RunPageTest, OfAStoppedRunItHasTheStormsSoFar) {
  const std::string text = page_of_many(100, 60);
  EXPECT_EQ(layers_of(text)["layers"].size(), 25U);
  EXPECT_TRUE(contains(text, "<button type=\"button\" data-storm=\"25\">"));
  EXPECT_FALSE(contains(text, "<button type=\"button\" data-storm=\"26\">"));
  EXPECT_TRUE(contains(text, "<td>by a signal, 40 storms before the end</td>"));
}

}  // namespace
}  // namespace bombard::tools
