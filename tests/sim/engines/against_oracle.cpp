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

/// An engine for these storms, with the layer that they fall on.
std::unique_ptr<bombard::EngineChain> begun(const EngineUnderTest& engine,
                                            const bombard::EngineOptions& options,
                                            const Bombardment& bombardment) {
  std::unique_ptr<bombard::EngineChain> running = engine.make(options);
  if (!bombardment.initial.empty()) {
    const bombard::CellRange held = with_margin(options.part, options.storms).held;
    running->begin_with(slice(std::span(bombardment.initial), held));
  }
  return running;
}

/// Engines without a layer begin with 0.
bool can_begin(const EngineUnderTest& engine, const Bombardment& bombardment) {
  return bombardment.initial.empty() || has_layer(*engine.entry);
}

}  // namespace

std::vector<bombard::Evidence> expect_rule(const EngineUnderTest& engine,
                                           const Bombardment& bombardment,
                                           const oracle::Result& rule, bool keep_layer,
                                           int threads) {
  if (!can_begin(engine, bombardment)) return {};
  bombard::EngineOptions options = options_for(bombardment);
  options.keep_layer = keep_layer;
  options.threads = threads;
  const auto running = begun(engine, options, bombardment);
  std::vector<bombard::Maximum> maxima;
  std::vector<bombard::Evidence> evidence;
  for (bombard::Storm storm : bombardment.storms) {
    maxima.push_back(running->apply({storm.impacts}));
    if (const auto last = running->evidence()) evidence.push_back(*last);
    // The next call must not look at these.
    std::ranges::fill(storm.impacts, bombard::Impact{1, -9});
  }
  EXPECT_EQ(written(rule.peaks), written(maxima));
  if (keep_layer) {
    EXPECT_EQ("", first_difference(rule.layer, layer_of(*running)));
  }
  return evidence;
}

void expect_rule_in_parts(const EngineUnderTest& engine, const Bombardment& bombardment,
                          const oracle::Result& rule, std::int64_t count) {
  if (!can_begin(engine, bombardment)) return;
  bombard::EngineOptions options = options_for(bombardment);
  std::vector<bombard::Maximum> maxima(bombardment.storms.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first = bombardment.cells * i / count;
    const std::int64_t end = bombardment.cells * (i + 1) / count;
    options.part = bombard::part_of_layer({first, end}, bombardment.cells);
    const auto running = begun(engine, options, bombardment);
    const auto some = maxima_of(*running, bombardment.storms);
    ASSERT_EQ(some.size(), maxima.size());
    for (std::size_t storm = 0; storm < some.size(); ++storm) {
      maxima[storm] = bombard::larger(maxima[storm], some[storm]);
    }
    const auto own = rule.layer.begin();
    EXPECT_EQ("", first_difference({own + first, own + end}, layer_of(*running)));
  }
  EXPECT_EQ(written(rule.peaks), written(maxima));
}
