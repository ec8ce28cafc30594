#include "sim/simulation.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "inputs/storms/storm_file.hpp"
#include "kernels/base/host_memory.hpp"
#include "sim/plan.hpp"
#include "sim/ranks/communicator.hpp"
#include "tests/inputs/temporary_directory.hpp"
#include "tests/sim/engines/layer_of.hpp"
#include "tests/sim/ranks/threads_as_ranks.hpp"

namespace bombard {
namespace {

class Simulation : public TemporaryDirectory {
 protected:
  RunOptions options_for(const Storm& storm, std::int64_t cells, std::size_t times) const {
    write_storm(storm, path("storm.txt"));
    return {.cells = cells,
            .storm_paths = std::vector(times, path("storm.txt")),
            .settings = {.device = Device::cpu, .exact_layer = true}};
  }
};

TEST_F(Simulation, SlowSeveralBatchesGiveWhatOneGives) {
  const std::int64_t cells = 100'000;
  const Storm storm{"", {{50'000, 1000}, {70'001, 900}}};
  // A batch is about half a second by the estimate that the simulation itself makes.
  const SimulationSettings settings{.device = Device::cpu, .exact_layer = true};
  const auto estimate = [&](std::size_t storms) {
    const auto count = static_cast<std::int64_t>(storms);
    return make_plan(settings, {cells, 2 * count, count});
  };
  std::size_t times = 64;
  while (estimate(times).seconds < 0.8) times *= 2;
  RunOptions options = options_for(storm, cells, times);
  options.keep_layer = true;

  std::vector<Progress> seen;
  std::string chosen;
  const SimulationResult result =
      simulate(options, {.progress = [&](const Progress& progress) { seen.push_back(progress); },
                         .begin = [&](const Plan& plan) { chosen = plan.engine; }});

  ASSERT_GE(seen.size(), 3U);  // at the start and after each of two batches or more
  EXPECT_EQ(seen[0].storms_done, 0);
  EXPECT_EQ(seen.back().storms_done, static_cast<std::int64_t>(times));
  EXPECT_EQ(chosen, estimate(times).engine);
  EXPECT_EQ(result.plan.engine, chosen);
  EXPECT_EQ(result.start_seconds, 0);
  EXPECT_GE(result.total_seconds, result.reading_seconds + result.simulation_seconds);

  const auto at_once = find_engine(chosen)->make(
      {.part = whole_layer(cells), .storms = static_cast<std::int64_t>(times), .keep_layer = true});
  const std::vector<Maximum> maxima = maxima_of(*at_once, std::vector<Storm>(times, storm));
  ASSERT_EQ(result.storms.size(), times);
  for (std::size_t i = 0; i < times; ++i) {
    EXPECT_EQ(result.storms[i].maximum, maxima[i]) << "storm " << i;
  }
  EXPECT_EQ(result.layer, layer_of(*at_once));
}

TEST_F(Simulation, ShowsTheLayerAfterEachStorm) {
  const Storm storm{"", {{500, 1000}, {701, 900}}};
  RunOptions options = options_for(storm, 1025, 3);
  for (const std::string name : {"cpu_direct", "cpu_double"}) {
    SCOPED_TRACE(name);
    options.settings.engine = name;
    const auto engine = find_engine(name)->make({.part = whole_layer(1025), .storms = 3});
    int shown = 0;
    const SimulationResult result =
        simulate(options, {.after_storm = [&](const StormResult& of_storm, const LayerView& layer) {
                   ++shown;
                   EXPECT_EQ(of_storm.maximum, engine->apply({storm.impacts}));
                   std::visit(
                       [&](const auto& cells) {
                         EXPECT_EQ(Layer(std::vector(cells.begin(), cells.end())), engine->layer());
                       },
                       layer);
                 }});
    EXPECT_EQ(shown, 3);
    EXPECT_EQ(result.batches.size(), 3U);
    double seconds = 0;
    for (const Batch& batch : result.batches) {
      EXPECT_EQ(batch.storms, 1);
      seconds += batch.seconds;
    }
    EXPECT_GT(seconds, 0);
    EXPECT_LE(seconds, result.simulation_seconds);
    EXPECT_TRUE(result.layer.empty() && result.layer_in_double.empty());
  }
}

TEST_F(Simulation, TheTimeOfASinkIsNotTheSimulations) {
  const SimulationResult result =
      simulate(options_for({"", {{2, 100}}}, 5, 2),
               {.after_storm = [](const StormResult&, const LayerView&) {
                 std::this_thread::sleep_for(std::chrono::milliseconds(200));
               }});
  EXPECT_LT(result.simulation_seconds, 0.3);
  EXPECT_GE(result.total_seconds, 0.4);
}

// The estimate of a storm is long, so that a copy of the layer is kept while it is computed, and
// its shares end after a few cells.
TEST_F(Simulation, WhoMayStopAndDoesNotHasTheLastLayer) {
  Storm storm{"", {}};
  for (std::int64_t i = 0; i < 60'000; ++i) storm.impacts.push_back({i * 16, 1000});
  RunOptions options = options_for(storm, 1'000'000, 2);
  options.keep_layer = true;
  options.settings = {.engine = "cpu_direct", .threads = 1, .rule = {Edition::first, {}, 0.5F}};
  const SimulationResult result = simulate(options, {.stop = [] { return false; }});
  EXPECT_EQ(result.storms_left, 0);
  EXPECT_TRUE(result.layer == simulate(options).layer);
}

TEST_F(Simulation, APlanForCellsTakesAnEngineThatShowsThem) {
  Storm storm{"", {}};
  for (std::int64_t i = 0; i < 20'000; ++i) storm.impacts.push_back({i, 1000});
  RunOptions options = options_for(storm, 30'000, 6);
  options.settings = {.device = Device::cpu};
  EXPECT_EQ(plan_of_run(options).engine, "cpu_fast");
  options.peaks = 1;
  EXPECT_NE(plan_of_run(options).engine, "cpu_fast");
}

/// Rank 0 of four, two of them on this machine.
class OneOfFour final : public Communicator {
  int ranks() const override { return 4; }
  int ranks_on_host() const override { return 2; }
};

// A machine holds the slabs of its ranks, not the layer.
TEST_F(Simulation, APlanForRanksCountsTheMemoryOfAMachine) {
  RunOptions options = options_for({"", {{5, 1000}}}, 10'000'000, 1);
  options.settings = {.engine = "cpu_double", .threads = 1};
  const auto alone = static_cast<double>(plan_of_run(options).host_bytes);
  const auto of_machine = static_cast<double>(plan_of_run(options, {}, OneOfFour()).host_bytes);
  EXPECT_NEAR(of_machine, alone / 2, alone / 100);

  options.cells = available_host_memory() / 6;
  EXPECT_THROW(plan_of_run(options), CannotRun);
  EXPECT_EQ(plan_of_run(options, {}, OneOfFour()).engine, "cpu_double");
  options.cells *= 2;  // one of the two slabs here fits
  EXPECT_THROW(plan_of_run(options, {}, OneOfFour()), CannotRun);
}

TEST_F(Simulation, APlanForRanksCountsTheWholeLayerThatRank0Keeps) {
  RunOptions options = options_for({"", {{5, 1000}}}, 10'000'000, 1);
  options.settings = {.engine = "cpu_double", .threads = 1};
  const std::int64_t bytes = plan_of_run(options, {}, OneOfFour()).host_bytes;
  options.keep_layer = true;
  EXPECT_EQ(plan_of_run(options, {}, OneOfFour()).host_bytes, bytes + 8 * options.cells);
}

// Two layers are compared; a fast engine has the uncertainty of its cells, too.
TEST_F(Simulation, APlanOfAValidationCountsWhatIsCompared) {
  RunOptions options = options_for({"", {{5, 1000}}}, 10'000'000, 1);
  for (const std::string engine : {"cpu_direct", "cpu_fast"}) {
    options.settings = {.engine = engine, .threads = 1};
    options.keep_layer = true;  // a copy of one layer
    const std::int64_t kept = plan_of_run(options).host_bytes;
    options.keep_layer = false;
    const std::int64_t compared = plan_of_run(options, {}, Communicator::alone(), true).host_bytes;
    const std::int64_t more_layers = engine == "cpu_fast" ? 2 : 1;
    EXPECT_EQ(compared - kept,
              find_engine("reference")->bytes({.part = whole_layer(options.cells), .storms = 1}) +
                  more_layers * 4 * options.cells);
  }
}

TEST_F(Simulation, ALayerHasNoMorePeaksThanCells) {
  RunOptions options = options_for({"", {{5, 1000}}}, 60, 1);
  options.peaks = std::int64_t{1} << 50;  // no memory would hold them
  EXPECT_EQ(simulate(options).storms.at(0).peaks.size(), 1U);
}

TEST_F(Simulation, WhatRanksMoveIsCountedOnce) {
  RunOptions options = options_for({"", {{5, 1000}}}, 60, 4);
  options.cells_at = {5};  // storms come one by one
  tests::on_each_rank(2, [&](Communicator& ranks) {
    const SimulationResult result = simulate(options, {}, ranks);
    EXPECT_GT(result.bytes_moved, 0);
    EXPECT_LT(result.bytes_moved, ranks.bytes_moved());
  });
}

}  // namespace
}  // namespace bombard
