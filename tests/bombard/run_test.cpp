#include "bombard/run.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "bombard/read_storm.hpp"
#include "bombard/simulation.hpp"
#include "tests/text.hpp"

namespace bombard {
namespace {

std::string sample(int number) {
  return BOMBARD_SOURCE_DIR "/inputs/samples/layer_60_storm_" + std::to_string(number) + ".txt";
}

RunOptions samples() {
  return {.cells = 60,
          .storm_paths = {sample(1), sample(2), sample(3)},
          .settings = {.device = Device::cpu}};
}

TEST(Run, GivesWhatASimulationGives) {
  RunOptions options = samples();
  options.keep_layer = options.settings.exact_layer = true;
  const SimulationResult result = run(options);
  Simulation simulation(60, {.device = Device::cpu, .exact_layer = true});
  ASSERT_EQ(result.storms.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    const Storm storm = read_storm(sample(i + 1));
    const StormResult& found = result.storms[static_cast<std::size_t>(i)];
    EXPECT_EQ(found.maximum, simulation.apply(storm.impacts));
    EXPECT_EQ(found.file, sample(i + 1));
    EXPECT_EQ(found.impacts, static_cast<std::int64_t>(storm.impacts.size()));
  }
  EXPECT_EQ(result.layer, simulation.layer());
  EXPECT_EQ(result.plan.engine, simulation.engine());
  EXPECT_EQ(result.plan.method, Method::direct);
  EXPECT_EQ(result.plan.precision, Precision::binary32);
  EXPECT_EQ(result.storms_left, 0);
}

// tests/sim/checks_test.cpp tests what else is refused.
TEST(Run, CellsAndPeaksThatCannotBeAreRefused) {
  RunOptions options = samples();
  options.cells_at = {60};
  EXPECT_EQ(tests::message_of([&] { run(options); }),
            "cells_at 60 is not in the layer; its cells are 0 to 59");
  options.cells_at = {};
  options.peaks = -1;
  EXPECT_EQ(tests::message_of([&] { run(options); }),
            "peaks -1 is not a number of peaks; it is 0 or more");
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
  int called = 0;
  options.settings.interrupt = [&] {
    ++called;
    throw std::runtime_error("enough");
  };
  bool told = false;
  EXPECT_THROW(run(options, {.progress = [&](const Progress&) { told = true; }}),
               std::runtime_error);
  EXPECT_EQ(called, 1);
  EXPECT_FALSE(told);
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
