#include "bombard/ensemble.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sim/generation.hpp"

namespace bombard {
namespace {

/// Runs of random storms, run r of storms(r), each of impacts(r, storm).
struct RandomRuns {
  template <class Storms, class Impacts>
  RandomRuns(std::int64_t cells, int count, const Storms& storms, const Impacts& number) {
    for (int run = 0; run < count; ++run) {
      for (int storm = 0; storm < storms(run); ++storm) {
        const Storm next = generate_storm(cells, number(run, storm), 1, 1000, 3, run * 10 + storm);
        impacts.insert(impacts.end(), next.impacts.begin(), next.impacts.end());
        storm_starts.push_back(static_cast<std::int64_t>(impacts.size()));
      }
      run_starts.push_back(static_cast<std::int64_t>(storm_starts.size()) - 1);
    }
  }
  Runs runs() const { return {impacts, storm_starts, run_starts}; }

  std::vector<Impact> impacts;
  std::vector<std::int64_t> storm_starts{0}, run_starts{0};
};

/// Each run by a simulation of its own.
std::vector<Maximum> one_by_one(std::int64_t cells, const Runs& runs,
                                const SimulationSettings& settings) {
  std::vector<Maximum> maxima;
  for (std::size_t run = 0; run + 1 < runs.run_starts.size(); ++run) {
    Simulation simulation(cells, settings);
    for (auto storm = static_cast<std::size_t>(runs.run_starts[run]);
         storm < static_cast<std::size_t>(runs.run_starts[run + 1]); ++storm) {
      const auto begin = static_cast<std::size_t>(runs.storm_starts[storm]);
      const auto end = static_cast<std::size_t>(runs.storm_starts[storm + 1]);
      maxima.push_back(simulation.apply(runs.impacts.subspan(begin, end - begin)));
    }
  }
  return maxima;
}

TEST(LibraryEnsemble, GivesWhatSingleRunsGive) {
  const RandomRuns random(
      1000, 100, [](int) { return 3; }, [](int, int) { return 50; });
  const SimulationSettings settings{.device = Device::cpu};
  EXPECT_EQ(ensemble(1000, random.runs(), settings), one_by_one(1000, random.runs(), settings));
}

TEST(LibraryEnsemble, TakesRunsOfDifferentSizes) {
  for (const std::int64_t cells : {1, 2, 3, 33, 1025}) {
    const RandomRuns random(
        cells, 40, [](int run) { return run % 4; },
        [](int run, int storm) { return (run + storm) % 7; });
    for (const Precision precision : {Precision::binary32, Precision::binary64}) {
      const SimulationSettings settings{
          .device = Device::cpu, .precision = precision, .threads = 3};
      EXPECT_EQ(ensemble(cells, random.runs(), settings),
                one_by_one(cells, random.runs(), settings))
          << cells << " cells, " << name_of(precision);
    }
  }
}

TEST(LibraryEnsemble, SharesThreadsOutWhenRunsAreFew) {
  const RandomRuns random(
      20'000, 2, [](int) { return 2; }, [](int, int) { return 100; });
  const SimulationSettings settings{.device = Device::cpu, .method = Method::fast, .threads = 5};
  EXPECT_EQ(ensemble(20'000, random.runs(), settings), one_by_one(20'000, random.runs(), settings));
}

TEST(LibraryEnsemble, OfNothingIsNothing) {
  const std::vector<std::int64_t> none{0};
  EXPECT_TRUE(ensemble(10, {{}, none, none}).empty());
  const std::vector<std::int64_t> two_empty_runs{0, 0, 0};
  EXPECT_TRUE(ensemble(10, {{}, none, two_empty_runs}).empty());
}

TEST(LibraryEnsemble, RefusesStartsThatAreNone) {
  const std::vector<Impact> impacts{{0, 1}, {1, 1}};
  using Starts = std::vector<std::int64_t>;
  const auto refused = [&](const Starts& storms, const Starts& runs) {
    EXPECT_THROW(ensemble(10, {impacts, storms, runs}), InputError);
  };
  refused({}, {0});
  refused({0, 1}, {0, 1});
  refused({1, 2}, {0, 1});
  refused({0, 3, 2}, {0, 2});
  refused({0, 2}, {});
  refused({0, 2}, {0, 2});
  EXPECT_EQ(ensemble(10, {impacts, Starts{0, 2}, Starts{0, 1}}).size(), 1U);
}

TEST(LibraryEnsemble, EndsWhenItIsInterrupted) {
  struct Enough : std::exception {};
  const RandomRuns random(
      30'000, 200, [](int) { return 1; }, [](int, int) { return 5000; });
  SimulationSettings settings{.engine = "cpu_direct"};
  settings.interrupt = [] { throw Enough(); };
  EXPECT_THROW(ensemble(30'000, random.runs(), settings), Enough);
}

}  // namespace
}  // namespace bombard
