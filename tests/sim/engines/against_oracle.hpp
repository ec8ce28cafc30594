#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bombard/storm.hpp"
#include "tests/oracle.hpp"
#include "tests/sim/engines/engines_under_test.hpp"

/// A layer and what falls on it.
struct Bombardment {
  std::int64_t cells;
  std::vector<bombard::Storm> storms;
  oracle::Rule rule = {};
  std::vector<float> initial = {};  ///< the layer at first; none: 0
};

/// The same rule as the product has it.
bombard::Rule rule_of(const Bombardment& bombardment);

oracle::Result by_the_rule(const Bombardment& bombardment);

/// The rest of a bombardment after `count` storms, from the layer that these leave.
Bombardment after_storms(const Bombardment& whole, std::size_t count);

/// "position value-in-hexadecimal" per storm: equal text is equal bits.
template <class Peak>
std::vector<std::string> written(const std::vector<Peak>& peaks) {
  std::vector<std::string> lines;
  for (const auto& [position, value] : peaks) {
    lines.push_back(fmt::format("{} {:a}", position, static_cast<float>(value)));
  }
  return lines;
}

/// Index of the first cell whose bits differ, with both values; empty when the layers are the same.
std::string first_difference(const std::vector<float>& expected, const std::vector<float>& actual);

/// The options of an engine for the whole layer.
bombard::EngineOptions options_for(const Bombardment& bombardment);

/// Runs the engine over the whole layer, storm by storm, and compares maxima and layer with the
/// rule's, bit for bit. Returns the evidence for each storm. An engine without a layer begins with
/// 0: of a layer that begins otherwise nothing is asked of it.
std::vector<bombard::Evidence> expect_rule(const EngineUnderTest& engine,
                                           const Bombardment& bombardment,
                                           const oracle::Result& rule, bool keep_layer = true,
                                           int threads = 0);

/// Runs the layer as `count` parts that never speak to each other; their maxima, combined by
/// larger(), and their layers, joined, must be the rule's.
void expect_rule_in_parts(const EngineUnderTest& engine, const Bombardment& bombardment,
                          const oracle::Result& rule, std::int64_t count);
