// Many small layers in one launch against simulations on the processor.

#include <random>
#include <vector>

#include "bombard/ensemble.hpp"
#include "tests/gpu.hpp"

namespace bombard {
namespace {

class EnsembleOnGpu : public GpuTest {
 protected:
  /// Runs of up to 4 storms of up to 60 impacts, some of them outside the layer or without energy.
  void add_runs(std::int64_t cells, int count) {
    std::mt19937_64 random(static_cast<std::uint64_t>(cells));
    const auto below = [&](std::int64_t bound) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
    };
    for (int run = 0; run < count; ++run) {
      for (std::int64_t storms = below(5); storms > 0; --storms) {
        for (std::int64_t i = below(61); i > 0; --i) {
          impacts.push_back(
              {below(3 * cells) - cells, static_cast<std::int32_t>(below(2000) - 200)});
        }
        storm_starts.push_back(static_cast<std::int64_t>(impacts.size()));
      }
      run_starts.push_back(static_cast<std::int64_t>(storm_starts.size()) - 1);
    }
  }

  void expect_what_the_processor_gives(std::int64_t cells, const SimulationSettings& settings) {
    SimulationSettings on_gpu = settings;
    SimulationSettings on_processor = settings;
    on_gpu.device = Device::cuda;
    on_processor.device = Device::cpu;
    on_processor.method = Method::direct;
    const Runs runs{impacts, storm_starts, run_starts};
    EXPECT_EQ(ensemble(cells, runs, on_gpu), ensemble(cells, runs, on_processor)) << cells;
  }

  std::vector<Impact> impacts;
  std::vector<std::int64_t> storm_starts{0}, run_starts{0};
};

TEST_F(EnsembleOnGpu, GivesWhatTheProcessorGives) {
  for (const std::int64_t cells : {1, 2, 3, 31, 35, 127, 128, 129, 1000, 1024, 1025, 2999, 3072}) {
    impacts.clear();
    storm_starts = run_starts = {0};
    add_runs(cells, 200);
    expect_what_the_processor_gives(cells, {});
    expect_what_the_processor_gives(cells, {.rule = {.edition = Edition::first}});
    expect_what_the_processor_gives(cells, {.rule = {.attenuation = {.parameter = 1.25}}});
  }
}

TEST_F(EnsembleOnGpu, SharesThatDoNotCountAreLeftOut) {
  add_runs(3000, 100);
  expect_what_the_processor_gives(3000, {.rule = {.edition = Edition::first, .threshold = 0.01F}});
}

TEST_F(EnsembleOnGpu, LayersTooLargeForABlockAreComputedOneByOne) {
  add_runs(3073, 5);
  expect_what_the_processor_gives(3073, {});
}

TEST_F(EnsembleOnGpu, StormsLongerThanABlock) {
  for (int i = 0; i < 1000; ++i) impacts.push_back({i * 37 % 900, 100 + i % 7});
  storm_starts = {0, 0, 999, 999, 1000};
  run_starts = {0, 3, 3, 4};
  expect_what_the_processor_gives(900, {});
}

}  // namespace
}  // namespace bombard
