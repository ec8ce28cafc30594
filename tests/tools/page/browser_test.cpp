// The page of `run --report` in a browser: it loads without an error, and zooming shows the cells.

#include <gtest/gtest.h>

#include <string>

#include "tests/tools/cli/program.hpp"
#include "tools/page/embedded.hpp"

namespace bombard::tests {
namespace {

class Browser : public ProgramTest {
 protected:
  void SetUp() override {
    if (tools::embedded_files.dygraphs_script.empty()) GTEST_SKIP() << "built without dygraphs";
    if (shell("command -v chromium").exit_code != 0) GTEST_SKIP() << "there is no chromium";
  }

  /// The page after a script at its end has run: its document is on `out`, messages are on `err`.
  Outcome open(const std::string& page, const std::string& script) {
    std::string text = content(page);
    text.insert(text.rfind("</body>"), "<script>" + script + "</script>");
    written("opened.html", text);
    return shell(
        "HOME=. timeout 120 chromium --headless --no-sandbox --disable-gpu --no-first-run "
        "--user-data-dir=profile --virtual-time-budget=2000 --window-size=1280,900 "
        "--enable-logging=stderr --dump-dom opened.html");
  }
};

/// A pointer in the middle of the chart; the bar below the chart is as wide as its axis.
constexpr const char* point_at_the_middle =
    "{ const bar = document.querySelector('.dygraph-rangesel-bgcanvas').getBoundingClientRect();"
    "for (const canvas of document.querySelectorAll('#chart canvas')) {"
    "  canvas.dispatchEvent(new MouseEvent('mousemove', {bubbles: true, clientX: bar.left + "
    "bar.width / 2, clientY: bar.top - 100}));"
    "} }";

/// The text of an element of the page.
std::string element(const std::string& page, const std::string& tag) {
  const std::size_t begin = page.find(tag);
  if (begin == std::string::npos) return "no " + tag;
  return page.substr(begin + tag.size(), page.find('<', begin + 1) - begin - tag.size());
}

TEST_F(Browser, ZoomsDownToTheCellsOfAMaximum) {
  shell(
      "bombard generate --cells 1000000 --impacts 50 --storms 2 --seed 7 --directory .\n"
      "bombard run 1000000 layer*.txt --report run.html --output run.csv");
  const std::string position = shell("tail -1 run.csv | cut -d, -f8 | tr -d '\\n'").out;
  const std::string pointed = "<output id=\"pointed\">";

  // The title keeps the first text for the pointer.
  const Outcome page =
      open("run.html", std::string(point_at_the_middle) +
                           "document.title = document.getElementById('pointed').textContent;"
                           "document.getElementById('around').click();" +
                           point_at_the_middle);
  EXPECT_EQ(page.exit_code, 0) << page.err;
  EXPECT_EQ(page.err.find("CONSOLE"), std::string::npos) << page.err;
  EXPECT_TRUE(matches(element(page.out, "<title>"), "cells [45]*,* to [45]*,*: * to *"));
  std::string found = element(page.out, pointed);
  std::erase(found, ',');
  EXPECT_TRUE(starts_with(found, "cell " + position + ": "));
}

TEST_F(Browser, SeesAnErrorInAPage) {
  shell("printf '1\\n5 10\\n' >storm.txt; bombard run 10 storm.txt --report run.html");
  EXPECT_TRUE(contains(open("run.html", "throw new Error('seen');").err, "CONSOLE"));
}

}  // namespace
}  // namespace bombard::tests
