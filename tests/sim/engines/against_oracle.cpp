#include "tests/sim/engines/against_oracle.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tests/sim/engines/layer_of.hpp"

bombard::Rule rule_of(const Bombardment& bombardment) {
  const oracle::Rule& rule = bombardment.rule;
  return {.edition = rule.edition == 1 ? bombard::Edition::first : bombard::Edition::second,
          .threshold = rule.threshold};
}

oracle::Result by_the_rule(const Bombardment& bombardment) {
  std::vector<oracle::Storm> storms;
  for (const bombard::Storm& storm : bombardment.storms) {
    oracle::Storm& copy = storms.emplace_back();
    for (const bombard::Impact& impact : storm.impacts) {
      copy.push_back({impact.position, impact.energy});
    }
  }
  std::vector<float> layer = bombardment.initial;
  layer.resize(static_cast<std::size_t>(bombardment.cells));
  return oracle::bombard(layer, storms, bombardment.rule);
}

Bombardment after_storms(const Bombardment& whole, std::size_t count) {
  Bombardment first = whole, rest = whole;
  first.storms.resize(count);
  rest.storms.erase(rest.storms.begin(), rest.storms.begin() + static_cast<std::ptrdiff_t>(count));
  rest.initial = by_the_rule(first).layer;
  return rest;
}

std::string first_difference(const std::vector<float>& expected, const std::vector<float>& actual) {
  if (expected.size() != actual.size()) {
    return fmt::format("{} cells instead of {}", actual.size(), expected.size());
  }
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (std::bit_cast<std::uint32_t>(expected[k]) != std::bit_cast<std::uint32_t>(actual[k])) {
      return fmt::format("cell {}: {:a} ({}) instead of {:a} ({})", k, actual[k], actual[k],
                         expected[k], expected[k]);
    }
  }
  return {};
}

bombard::EngineOptions options_for(const Bombardment& bombardment) {
  return {.part = bombard::whole_layer(bombardment.cells),
          .storms = std::ssize(bombardment.storms),
          .rule = rule_of(bombardment)};
}

namespace {

/// Runs the layer in parts with these options, and compares maxima and layers with the rule's.
std::vector<bombard::Evidence> expect_rule_of_parts(const EngineUnderTest& engine,
                                                    const Bombardment& bombardment,
                                                    const oracle::Result& rule,
                                                    bombard::EngineOptions options,
                                                    std::int64_t count) {
  std::vector<bombard::Evidence> evidence;
  if (!bombardment.initial.empty() && !has_layer(*engine.entry)) return evidence;
  std::vector<bombard::Maximum> maxima(bombardment.storms.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first = bombardment.cells * i / count;
    const std::int64_t end = bombardment.cells * (i + 1) / count;
    options.part = bombard::part_of_layer({first, end}, bombardment.cells);
    const auto running = engine.make(options);
    if (!bombardment.initial.empty()) {
      const bombard::CellRange held = with_margin(options.part, options.storms).held;
      running->begin_with(slice(std::span(bombardment.initial), held));
    }
    for (std::size_t s = 0; s < maxima.size(); ++s) {
      std::vector<bombard::Impact> impacts = bombardment.storms[s].impacts;
      const bombard::Maximum found = running->apply({impacts});
      maxima[s] = i == 0 ? found : bombard::larger(maxima[s], found);
      if (const auto last = running->evidence()) evidence.push_back(*last);
      // The next call must not look at these.
      std::ranges::fill(impacts, bombard::Impact{1, -9});
    }
    if (!options.keep_layer) continue;
    const auto own = rule.layer.begin();
    EXPECT_EQ("", first_difference({own + first, own + end}, layer_of(*running)));
  }
  EXPECT_EQ(written(rule.peaks), written(maxima));
  return evidence;
}

}  // namespace

std::vector<bombard::Evidence> expect_rule(const EngineUnderTest& engine,
                                           const Bombardment& bombardment,
                                           const oracle::Result& rule, bool keep_layer,
                                           int threads) {
  bombard::EngineOptions options = options_for(bombardment);
  options.keep_layer = keep_layer;
  options.threads = threads;
  return expect_rule_of_parts(engine, bombardment, rule, options, 1);
}

void expect_rule_in_parts(const EngineUnderTest& engine, const Bombardment& bombardment,
                          const oracle::Result& rule, std::int64_t count) {
  expect_rule_of_parts(engine, bombardment, rule, options_for(bombardment), count);
}
