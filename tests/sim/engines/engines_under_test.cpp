#include "tests/sim/engines/engines_under_test.hpp"

#include "sim/engines/direct/cpu_direct.hpp"

std::vector<EngineUnderTest> engines_under_test(bombard::Precision precision) {
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
