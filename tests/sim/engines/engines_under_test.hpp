#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "kernels/base/instruction_set.hpp"
#include "sim/engines/engines.hpp"

/// An engine as the tests over all engines run it: on a device once for each way to reduce, on the
/// CPU once for each instruction set that this processor offers, a direct engine once more with
/// impacts that are counted.
struct EngineUnderTest {
  std::string name;
  const bombard::EngineEntry* entry;
  bombard::Reduction reduction;
  std::string_view instruction_set;
  /// Instead of the entry's: of a direct engine that always counts.
  std::unique_ptr<bombard::Engine> (*counting)(const bombard::EngineOptions&) = nullptr;

  std::unique_ptr<bombard::Engine> make(bombard::EngineOptions options) const {
    options.reduction = reduction;
    return counting != nullptr ? counting(options) : entry->make(options);
  }
  /// Whether there is a layer() to compare.
  bool stores_layer() const { return entry->method != bombard::Method::sparse; }
};
/// What counting costs for an engine that always counts.
inline constexpr bombard::CountingCosts free_counting{0, 0, 0, 0, 0, 2};
inline void PrintTo(const EngineUnderTest& engine, std::ostream* out) {
  *out << engine.name;
}

/// Every engine of engines() in single precision that stores its layer and that this test program
/// answers for (cpu_engines.cpp, gpu_engines.cpp).
std::vector<EngineUnderTest> engines_under_test();

/// The same of the engines in double precision.
std::vector<EngineUnderTest> double_engines_under_test();

/// The engines in single precision that store no layer: on the processor only.
std::vector<EngineUnderTest> sparse_engines_under_test();

/// The engines without an instruction set or with the widest of this processor, and the others.
inline std::vector<EngineUnderTest> widest(std::vector<EngineUnderTest> engines) {
  std::erase_if(engines, [](const EngineUnderTest& engine) {
    return !engine.instruction_set.empty() &&
           engine.instruction_set != bombard::cpu::offered_instruction_sets().front();
  });
  return engines;
}
inline std::vector<EngineUnderTest> narrower(std::vector<EngineUnderTest> engines) {
  std::erase_if(engines, [](const EngineUnderTest& engine) {
    return engine.instruction_set.empty() ||
           engine.instruction_set == bombard::cpu::offered_instruction_sets().front();
  });
  return engines;
}

/// Calls `check` for each of engines_under_test(): for a test whose oracle takes longer than the
/// engines. Skips without a GPU where it needs one.
void for_every_engine(const std::function<void(const EngineUnderTest&)>& check);

/// A test over engines_under_test(); skips without a GPU where it needs one.
class EngineTest : public testing::TestWithParam<EngineUnderTest> {
 protected:
  void SetUp() override;
  void TearDown() override;
};

inline std::string engine_name(const testing::TestParamInfo<EngineUnderTest>& info) {
  return info.param.name;
}
