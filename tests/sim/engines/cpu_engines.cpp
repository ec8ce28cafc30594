#include "sim/engines/direct/cpu_direct.hpp"
#include "tests/sim/engines/engines_under_test.hpp"

std::vector<EngineUnderTest> engines_under_test(bombard::Precision precision, bool stored) {
  const Backend cpu = backends().front();
  std::vector<EngineUnderTest> engines;
  for (const bombard::EngineEntry& entry : bombard::engines()) {
    if (entry.on_device || entry.precision != precision) continue;
    if ((entry.method != bombard::Method::sparse) != stored) continue;
    const std::string name = entry.name;
    engines.push_back({name, &entry, cpu});
    if (name == "cpu_direct") {
      engines.push_back({name + "_counting", &entry, cpu, bombard::Reduction::cub,
                         [](const bombard::EngineOptions& options) {
                           return std::unique_ptr<bombard::Engine>(
                               std::make_unique<bombard::CpuDirect>(options, free_counting));
                         }});
    }
  }
  return engines;
}
