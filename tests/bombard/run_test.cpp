#include "bombard/run.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bombard/read_storm.hpp"
#include "bombard/simulation.hpp"

namespace bombard {
namespace {

RunOptions samples() {
  const std::string storm = BOMBARD_SOURCE_DIR "/inputs/samples/layer_60_storm_";
  return {.cells = 60,
          .storm_paths = {storm + "1.txt", storm + "2.txt", storm + "3.txt"},
          .settings = {.device = Device::cpu}};
}

TEST(Run, GivesWhatASimulationGives) {
  RunOptions options = samples();
  options.keep_layer = options.settings.exact_layer = true;
  const SimulationResult result = run(options);
  Simulation simulation(60, {.device = Device::cpu, .exact_layer = true});
  ASSERT_EQ(result.storms.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(result.storms[i].maximum,
              simulation.apply(read_storm(options.storm_paths[i]).impacts));
    EXPECT_EQ(result.storms[i].file, options.storm_paths[i]);
    EXPECT_EQ(result.storms[i].impacts, 10);
  }
  EXPECT_EQ(result.layer, simulation.layer());
  EXPECT_EQ(result.plan.engine, simulation.engine());
  EXPECT_EQ(result.storms_left, 0);
}

TEST(Run, RefusesCellsAndPeaksThatCannotBe) {
  RunOptions cells_at = samples(), peaks = samples();
  cells_at.cells_at = {60};
  EXPECT_THROW(run(cells_at), InputError);
  peaks.peaks = -1;
  EXPECT_THROW(run(peaks), InputError);
}

TEST(Run, StopsBetweenStorms) {
  RunOptions options = samples();
  options.cells_at = {0};  // storms one by one
  const SimulationResult result = run(options, {.stop = [] { return true; }});
  EXPECT_EQ(result.storms.size(), 1U);
  EXPECT_EQ(result.storms_left, 2);
}

TEST(Run, AnInterruptEndsIt) {
  RunOptions options = samples();
  options.settings.interrupt = [] { throw std::runtime_error("enough"); };
  const auto told = [](const Progress&) { ADD_FAILURE() << "after the interruption"; };
  EXPECT_THROW(run(options, {.progress = told}), std::runtime_error);
}

TEST(Run, APlanSaysWhatItWouldBe) {
  RunOptions options = samples();
  options.settings.engine = "cpu_double";
  const Plan would_be = plan(options);
  EXPECT_EQ(would_be.cells, 60);
  EXPECT_EQ(would_be.storms, 3);
  EXPECT_EQ(would_be.engine, "cpu_double");
  EXPECT_EQ(would_be.precision, Precision::binary64);
  Plan planned;
  run(options, {.begin = [&](const Plan& of_run) { planned = of_run; }});
  EXPECT_EQ(planned.engine, would_be.engine);
  EXPECT_EQ(planned.impacts, would_be.impacts);
}

}  // namespace
}  // namespace bombard
