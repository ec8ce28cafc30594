#include "tests/sim/engines_under_test.hpp"

void EngineTest::SetUp() {}

std::vector<EngineUnderTest> engines_under_test() {
  std::vector<EngineUnderTest> engines;
  for (const bombard::EngineEntry& entry : bombard::engines()) {
    if (!entry.on_device) engines.push_back({entry.name, &entry, bombard::Reduction::cub});
  }
  return engines;
}
