#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "sim/engine_chain.hpp"
#include "sim/engines/direct/cpu_direct.hpp"
#include "sim/engines/engines.hpp"
#include "tests/solvers/backend.hpp"

/// An engine as the tests over all engines run it: on a device once for each way to reduce,
/// cpu_direct once more with impacts that are counted.
struct EngineUnderTest {
  std::string name;
  const bombard::EngineEntry* entry;
  bombard::Reduction reduction = bombard::Reduction::cub;
  /// Instead of the entry's: makes a direct engine that always counts.
  std::unique_ptr<bombard::Engine> (*counting)(const bombard::EngineOptions&) = nullptr;

  std::unique_ptr<bombard::EngineChain> make(bombard::EngineOptions options) const {
    options.reduction = reduction;
    return std::make_unique<bombard::EngineChain>(
        *entry, options, counting != nullptr ? counting(options) : entry->make(options));
  }
  bool in_double() const { return entry->precision == bombard::Precision::binary64; }
};
/// What counting costs for an engine that always counts.
inline constexpr bombard::CountingCosts free_counting{0, 0, 0, 0, 2};
inline void PrintTo(const EngineUnderTest& engine, std::ostream* out) {
  *out << engine.name;
}

/// Every engine of engines() that stores its layer, in this precision, on the device of this test
/// program.
inline std::vector<EngineUnderTest> engines_under_test(
    bombard::Precision precision = bombard::Precision::binary32) {
  using enum bombard::Reduction;
  std::vector<EngineUnderTest> engines;
  for (const bombard::EngineEntry& entry : bombard::engines()) {
    if (entry.on_device != on_gpu() || entry.precision != precision) continue;
    if (entry.method == bombard::Method::sparse) continue;
    const std::string name = entry.name;
    // A fast engine on a GPU reduces by kernels of its own.
    const bool reduces = on_gpu() && entry.method != bombard::Method::fast;
    engines.push_back({name + (reduces ? "_cub" : ""), &entry});
    if (reduces) engines.push_back({name + "_inhouse", &entry, inhouse});
    if (name == "cpu_direct") {
      engines.push_back(
          {name + "_counting", &entry, cub, [](const bombard::EngineOptions& options) {
             return std::unique_ptr<bombard::Engine>(
                 std::make_unique<bombard::CpuDirect>(options, free_counting));
           }});
    }
  }
  return engines;
}

/// The first variant of each engine.
inline std::vector<EngineUnderTest> first_of_each(std::vector<EngineUnderTest> engines) {
  const auto same = [](const auto& a, const auto& b) { return a.entry == b.entry; };
  engines.erase(std::unique(engines.begin(), engines.end(), same), engines.end());
  return engines;
}

/// A test over engines_under_test().
class EngineTest : public testing::TestWithParam<EngineUnderTest> {
 protected:
  void SetUp() override { require_device(); }
};

inline std::string engine_name(const testing::TestParamInfo<EngineUnderTest>& info) {
  return info.param.name;
}
