#include <algorithm>

#include "kernels/base/instruction_set.hpp"
#include "sim/engines/direct/cpu_direct.hpp"
#include "tests/sim/engines/engines_under_test.hpp"

void EngineTest::SetUp() {
  bombard::cpu::use_instruction_set(GetParam().instruction_set);
}

void EngineTest::TearDown() {
  bombard::cpu::use_instruction_set(bombard::cpu::offered_instruction_sets().front());
}

namespace {

std::vector<EngineUnderTest> of_precision(bombard::Precision precision, bool sparse) {
  std::vector<EngineUnderTest> engines;
  for (const bombard::EngineEntry& entry : bombard::engines()) {
    if (entry.on_device || entry.precision != precision) continue;
    if ((entry.method == bombard::Method::sparse) != sparse) continue;
    const std::string name = entry.name;
    for (const std::string_view set : bombard::cpu::offered_instruction_sets()) {
      std::string plain(set);
      std::erase(plain, '-');
      const bool reference = name == "reference";  // compiled once
      engines.push_back(
          {reference ? name : name + "_" + plain, &entry, bombard::Reduction::cub, set});
      if (reference) break;
      if (name == "cpu_direct") {
        engines.push_back({name + "_counting_" + plain, &entry, bombard::Reduction::cub, set,
                           [](const bombard::EngineOptions& options) {
                             return std::unique_ptr<bombard::Engine>(
                                 std::make_unique<bombard::CpuDirect>(options, free_counting));
                           }});
      }
    }
  }
  return engines;
}

}  // namespace

void for_every_engine(const std::function<void(const EngineUnderTest&)>& check) {
  for (const EngineUnderTest& engine : engines_under_test()) {
    SCOPED_TRACE(engine.name);
    bombard::cpu::use_instruction_set(engine.instruction_set);
    check(engine);
  }
  bombard::cpu::use_instruction_set(bombard::cpu::offered_instruction_sets().front());
}

std::vector<EngineUnderTest> engines_under_test() {
  return of_precision(bombard::Precision::binary32, false);
}

std::vector<EngineUnderTest> double_engines_under_test() {
  return of_precision(bombard::Precision::binary64, false);
}

std::vector<EngineUnderTest> sparse_engines_under_test() {
  return of_precision(bombard::Precision::binary32, true);
}
