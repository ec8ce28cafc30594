#include "bombard/run.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bombard/read_storm.hpp"
#include "bombard/simulation.hpp"
#include "kernels/base/stoppable_work.hpp"
#include "tests/text.hpp"

namespace bombard {
namespace {

RunOptions samples() {
  const std::string storm = BOMBARD_SOURCE_DIR "/inputs/samples/layer_60_storm_";
  return {.cells = 60,
          .storm_paths = {storm + "1.txt", storm + "2.txt", storm + "3.txt"},
          .settings = {.device = Device::cpu}};
}

TEST(Run, GivesWhatASimulationGives) {
  for (const std::string engine : {"cpu_direct", "cpu_fast", "cpu_sparse", "cpu_double"}) {
    SCOPED_TRACE(engine);
    RunOptions options = samples();
    options.settings.engine = engine;
    options.layers = Layers::last;
    std::vector<Layer> layers;
    std::vector<Maximum> told;
    Plan begun;
    const SimulationResult result =
        run(options, {.begin = [&](const Plan& of_run) { begun = of_run; },
                      .storm = [&](const StormResult& of) { told.push_back(of.maximum); },
                      .layer = [&](Layer layer) { layers.push_back(std::move(layer)); }});
    Simulation simulation(60, {.engine = engine});
    ASSERT_EQ(result.storms.size(), 3U);
    double seconds = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(result.storms[i].maximum,
                simulation.apply(read_storm(options.storm_paths[i]).impacts));
      EXPECT_EQ(result.storms[i].maximum, told.at(i));
      EXPECT_EQ(result.storms[i].file, options.storm_paths[i]);
      EXPECT_EQ(result.storms[i].impacts, 10);
      seconds += result.storms[i].seconds;
    }
    EXPECT_LE(seconds, result.simulation_seconds);
    EXPECT_GE(result.total_seconds, result.reading_seconds + result.simulation_seconds);
    EXPECT_EQ(layers, std::vector{simulation.layer()});
    EXPECT_EQ(result.plan.engine, simulation.engine());
    for (const Plan& told_of : {begun, plan(options)}) EXPECT_EQ(told_of.engine, engine);
    EXPECT_EQ(result.plan.impacts, 30);
    EXPECT_EQ(result.storms_left, 0);
  }
}

TEST(Run, ShowsTheLayerAfterEachStorm) {
  RunOptions options = samples();
  options.layers = Layers::each;
  Simulation simulation(60, {.engine = "cpu_direct"});
  std::size_t shown = 0;
  const auto compare = [&](const Layer& layer) {
    simulation.apply(read_storm(options.storm_paths[shown++]).impacts);
    EXPECT_EQ(layer, simulation.layer());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  };
  const SimulationResult result = run(options, {.layer = compare});
  EXPECT_EQ(shown, 3U);
  EXPECT_LE(result.simulation_seconds, result.total_seconds - 0.3);  // without the sink's time
}

TEST(Run, TellsItsProgressFromTheFirstStormToTheLast) {
  std::vector<Progress> seen;
  run(samples(), {.progress = [&](const Progress& progress) { seen.push_back(progress); }});
  ASSERT_GE(seen.size(), 4U);
  EXPECT_EQ(seen.front().storms_done, 0);
  EXPECT_EQ(seen.back().storms_done, 3);
  EXPECT_EQ(seen.back().interactions_done, 60 * 30);
}

TEST(Run, ALayerHasNoMorePeaksThanCells) {
  RunOptions options = samples();
  options.peaks = std::int64_t{1} << 50;  // no memory would hold them
  EXPECT_LT(run(options).storms.at(0).peaks.peaks.size(), 60U);
  options.peaks = options.cells = std::int64_t{1} << 56;
  options.storm_paths.resize(8, options.storm_paths.front());  // 2^63 bytes
  EXPECT_THROW(plan(options), CannotRun);
}

TEST(Run, RefusesCellsAndPeaksThatCannotBeBeforeItBegins) {
  RunOptions cells_at = samples(), peaks = samples();
  cells_at.cells_at = {60};
  peaks.peaks = -1;
  for (const RunOptions& options : {cells_at, peaks}) EXPECT_THROW(plan(options), InputError);
}

TEST(Run, StopsBetweenStorms) {
  RunOptions options = samples();
  options.layers = Layers::last;
  bool enough = false;
  const SimulationResult result =
      run(options, {.storm = [&](const StormResult&) { enough = true; },
                    .layer = [](const Layer&) { ADD_FAILURE() << "not the last storm"; },
                    .stop = [&] { return enough; }});
  EXPECT_EQ(result.storms.size(), 1U);
  EXPECT_EQ(result.storms_left, 2);
}

// As where nobody reads the pipe to which storms are told.
TEST(Run, AStormOfWhichTheTellingIsStoppedIsNotDone) {
  RunOptions options = samples();
  options.layers = Layers::each;
  std::size_t layers = 0;
  bool enough = false;
  const auto tell = [&](const StormResult&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    enough = layers == 1;
    StoppableWork::may_stop();
  };
  const SimulationResult result = run(
      options,
      {.storm = tell, .layer = [&](const Layer&) { ++layers; }, .stop = [&] { return enough; }});
  EXPECT_EQ(result.storms.size(), layers);
  EXPECT_EQ(result.storms_left, 2);
}

TEST(Run, BeginsWithALayerWhereTheEngineHasOne) {
  RunOptions options = samples();
  options.initial_path = "layer.npy";
  options.settings.engine = "cpu_fast";
  EXPECT_EQ(tests::message_of([&] { run(options); }),
            "initial is a layer, and cpu_fast keeps none; take method direct, or precision "
            "double");
  options.settings.engine = "";
  EXPECT_EQ(plan(options).engine, "cpu_direct");
}

TEST(Run, AnInterruptEndsIt) {
  RunOptions options = samples();
  options.settings.interrupt = [] { throw std::runtime_error("enough"); };
  const auto told = [](const Progress&) { ADD_FAILURE() << "after the interruption"; };
  EXPECT_THROW(run(options, {.progress = told}), std::runtime_error);
}

}  // namespace
}  // namespace bombard
