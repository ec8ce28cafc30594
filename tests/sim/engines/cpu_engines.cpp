#include "sim/engines/direct/cpu_direct.hpp"
#include "tests/sim/engines/engines_under_test.hpp"

std::vector<EngineUnderTest> engines_under_test(bombard::Precision precision, bool stored) {
  std::vector<EngineUnderTest> engines;
  for (const bombard::EngineEntry& entry : bombard::engines()) {
    if (entry.on_device || entry.precision != precision) continue;
    if ((entry.method != bombard::Method::sparse) != stored) continue;
    const std::string name = entry.name;
    for (const Backend& backend : backends()) {
      const std::string set = backend.name.substr(3);  // behind "cpu"
      const bool compiled_once = name == "reference";
      engines.push_back({compiled_once ? name : name + set, &entry, backend});
      if (compiled_once) break;
      if (name == "cpu_direct") {
        engines.push_back({name + "_counting" + set, &entry, backend, bombard::Reduction::cub,
                           [](const bombard::EngineOptions& options) {
                             return std::unique_ptr<bombard::Engine>(
                                 std::make_unique<bombard::CpuDirect>(options, free_counting));
                           }});
      }
    }
  }
  return engines;
}
