#include "tests/sim/engines/engines_under_test.hpp"

std::vector<EngineUnderTest> engines_under_test(bombard::Precision precision, bool stored) {
  using enum bombard::Reduction;
  const Backend gpu = backends().front();
  std::vector<EngineUnderTest> engines;
  for (const bombard::EngineEntry& entry : bombard::engines()) {
    if (!stored || !entry.on_device || entry.precision != precision) continue;
    const std::string name = entry.name;
    if (entry.method == bombard::Method::fast) {  // reduces by kernels of its own
      engines.push_back({name, &entry, gpu});
      continue;
    }
    engines.push_back({name + "_cub", &entry, gpu});
    engines.push_back({name + "_inhouse", &entry, gpu, inhouse});
  }
  return engines;
}
