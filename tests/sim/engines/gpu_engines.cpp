#include "sim/engines/screened/cuda_layer.hpp"
#include "tests/sim/engines/engines_under_test.hpp"

namespace {

/// Small storms are screened, too, which takes longer than all their arithmetic.
std::unique_ptr<bombard::Engine> screening(const bombard::EngineOptions& options) {
  return bombard::make_cuda_screened(options, 1e10);
}

}  // namespace

std::vector<EngineUnderTest> engines_under_test(bombard::Precision precision, bool stored) {
  using enum bombard::Reduction;
  const Backend gpu = backends().front();
  std::vector<EngineUnderTest> engines;
  for (const bombard::EngineEntry& entry : bombard::engines()) {
    if (!stored || !entry.on_device || entry.precision != precision) continue;
    const std::string name = entry.name;
    if (name == "cuda_fast") engines.push_back({name + "_screening", &entry, gpu, cub, screening});
    if (entry.method == bombard::Method::fast) {  // reduces by kernels of its own
      engines.push_back({name, &entry, gpu});
      continue;
    }
    engines.push_back({name + "_cub", &entry, gpu});
    engines.push_back({name + "_inhouse", &entry, gpu, inhouse});
  }
  return engines;
}
