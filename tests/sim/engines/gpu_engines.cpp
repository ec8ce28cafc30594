#include "sim/engines/direct/cuda_direct.hpp"
#include "sim/engines/screened/cuda_layer.hpp"
#include "tests/gpu.hpp"
#include "tests/sim/engines/engines_under_test.hpp"

void EngineTest::SetUp() {
  require_gpu();
}

void EngineTest::TearDown() {}

namespace {

/// Small storms are screened, too, which takes longer than all their arithmetic.
std::unique_ptr<bombard::Engine> screening(const bombard::EngineOptions& options) {
  return bombard::make_cuda_screened(options, 1e10);
}

std::vector<EngineUnderTest> of_precision(bombard::Precision precision) {
  std::vector<EngineUnderTest> engines;
  for (const bombard::EngineEntry& entry : bombard::engines()) {
    if (!entry.on_device || entry.precision != precision) continue;
    const std::string name = entry.name;
    if (entry.method == bombard::Method::fast) {  // reduces by kernels of its own
      if (name == "cuda_fast") {
        engines.push_back({name + "_screening", &entry, bombard::Reduction::cub, {}, screening});
      }
      engines.push_back({name, &entry, bombard::Reduction::cub, {}});
      continue;
    }
    engines.push_back({name + "_cub", &entry, bombard::Reduction::cub, {}});
    engines.push_back({name + "_inhouse", &entry, bombard::Reduction::inhouse, {}});
    if (name == "cuda_direct") {
      engines.push_back({name + "_counting",
                         &entry,
                         bombard::Reduction::cub,
                         {},
                         [](const bombard::EngineOptions& options) {
                           return std::unique_ptr<bombard::Engine>(
                               std::make_unique<bombard::CudaDirect>(options, free_counting));
                         }});
    }
  }
  return engines;
}

}  // namespace

void for_every_engine(const std::function<void(const EngineUnderTest&)>& check) {
  require_gpu();
  if (testing::Test::IsSkipped() || testing::Test::HasFatalFailure()) return;
  for (const EngineUnderTest& engine : engines_under_test()) {
    SCOPED_TRACE(engine.name);
    check(engine);
  }
}

std::vector<EngineUnderTest> engines_under_test() {
  return of_precision(bombard::Precision::binary32);
}

std::vector<EngineUnderTest> double_engines_under_test() {
  return of_precision(bombard::Precision::binary64);
}
