#include "bombard/simulation.hpp"

#include <cfenv>
#include <clocale>
#include <string>
#include <thread>
#include <vector>

#include "sim/generation.hpp"
#include "tests/other_arithmetic.hpp"
#include "tests/sim/engines/against_oracle.hpp"
#include "tests/sim/engines/layer_of.hpp"
#include "tests/solvers/backend.hpp"
#include "tests/text.hpp"

namespace bombard {
namespace {

using tests::message_of;

/// Tests that run on each device.
class LibrarySimulations : public BackendTest {
 protected:
  static SimulationSettings here() { return {.device = on_gpu() ? Device::cuda : Device::cpu}; }
};

std::vector<Storm> random_storms(std::int64_t cells, int count, std::int64_t impacts) {
  std::vector<Storm> storms;
  for (int i = 0; i < count; ++i) {
    storms.push_back(generate_storm(cells, impacts, -50, 1000, 7, i));
  }
  return storms;
}

void expect_peaks(const std::vector<Maximum>& maxima, const std::vector<oracle::Peak>& peaks) {
  EXPECT_EQ(written(maxima), written(peaks));
}

TEST_F(LibrarySimulations, TakesOneStormInEitherForm) {
  Simulation simulation(33, here());
  EXPECT_TRUE(simulation.engine().starts_with(on_gpu() ? "cuda_" : "cpu_direct"));
  EXPECT_EQ(simulation.maximum(), Maximum{});
  const std::vector<std::int64_t> positions{10, 20, -5};
  const std::vector<std::int32_t> energies{5, 7, 100};
  const std::vector<Impact> impacts{{10, 5}, {20, 7}, {-5, 100}};
  const oracle::Result expected = by_the_rule({33, std::vector<Storm>(3, {"", impacts})});
  expect_peaks({simulation.apply(positions, energies), simulation.apply(impacts),
                simulation.apply(positions, energies)},
               expected.peaks);
  expect_peaks({simulation.maximum()}, {expected.peaks[2]});
  EXPECT_EQ(layer_of(simulation), expected.layer);
  EXPECT_EQ(message_of([&] { simulation.apply(positions, {}); }),
            "3 positions and 0 energies: a storm has one energy for each position");
  for (const std::int64_t too_far : {largest_position + 1, -largest_position - 1}) {
    EXPECT_THROW(simulation.apply(std::vector<Impact>{{too_far, 1}}), InputError);
  }
  EXPECT_EQ(layer_of(simulation), expected.layer) << "what was refused changes nothing";
}

TEST(LibrarySimulation, IsAsItsPlanSays) {
  const SimulationSettings settings{.device = Device::cpu, .expected_impacts = 1'000'000'000};
  for (const std::int64_t cells : {5, 100'000}) {
    const Plan planned = plan(cells, settings);
    const Simulation simulation(cells, settings);
    EXPECT_EQ(planned.engine, simulation.engine());
    EXPECT_EQ(planned.reason, simulation.plan().reason);
  }
  EXPECT_THROW(plan(std::int64_t{1} << 50, {.engine = "cpu_direct"}), CannotRun);
  EXPECT_THROW(Simulation(10, {.expected_storms = -1}), InputError);
}

TEST_F(LibrarySimulations, BeginsAnewAndGoesOnFromALayer) {
  const std::vector<Storm> storms = random_storms(1000, 4, 50);
  const oracle::Result expected = by_the_rule({1000, storms});
  SimulationSettings settings = here();
  settings.wanted = Wanted::layer;
  Simulation whole(1000, settings);
  const std::vector<Maximum> maxima = whole.apply(storms);
  expect_peaks(maxima, expected.peaks);
  EXPECT_EQ(layer_of(whole), expected.layer);
  whole.reset();
  EXPECT_EQ(whole.maximum(), Maximum{});
  EXPECT_EQ(layer_of(whole), std::vector<float>(1000));
  EXPECT_EQ(whole.apply(storms), maxima);

  Simulation first(1000, {.device = Device::cpu, .method = Method::direct});
  first.apply(std::span(storms).first(2));
  const Layer layer = first.layer();
  Simulation second(1000, settings);
  second.begin_with(view_of(layer));
  EXPECT_EQ(second.apply(std::span(storms).last(2)), (std::vector<Maximum>{maxima[2], maxima[3]}));
  EXPECT_EQ(layer_of(second), expected.layer);
  EXPECT_THROW(second.begin_with(view_of(layer)), InputError) << "storms have come";
  second.reset();
  EXPECT_THROW(second.begin_with(std::vector<float>(999)), InputError);
  EXPECT_THROW(second.begin_with(std::vector<double>(1000)), InputError);
  settings.method = Method::fast;
  EXPECT_TRUE(
      tests::contains(message_of([&] { Simulation(1000, settings).begin_with(view_of(layer)); }),
                      "_fast keeps none; take method direct, or precision double"));
}

// They are the rule's, bit for bit, whether or not the engine stores the layer.
TEST(LibrarySimulation, CellsAndPeaks) {
  const std::vector<Storm> storms = random_storms(5000, 2, 12);
  const std::vector<float> layer = by_the_rule({5000, storms}).layer;
  for (const Method method : {Method::direct, Method::fast, Method::sparse}) {
    Simulation simulation(
        5000, {.device = Device::cpu, .method = method, .precision = Precision::binary32});
    const Maximum maximum = simulation.apply(storms).back();
    EXPECT_EQ(simulation.evidence().size(), method == Method::direct ? 0U : 2U);
    EXPECT_EQ(simulation.values_at(std::vector<std::int64_t>{4999, 17, 18, 17}),
              (std::vector<CellValue>{
                  {4999, layer[4999]}, {17, layer[17]}, {18, layer[18]}, {17, layer[17]}}));
    const std::vector<CellValue> peaks = simulation.highest_peaks(3).peaks;
    ASSERT_EQ(peaks.size(), 3U);
    EXPECT_EQ(peaks[0], (CellValue{maximum.position, maximum.value}));
    EXPECT_THROW(simulation.highest_peaks(-1), InputError);
    simulation.reset();
    EXPECT_TRUE(simulation.highest_peaks(3).peaks.empty() && simulation.evidence().empty());
    EXPECT_THROW(simulation.values_at(std::vector<std::int64_t>{5000}), InputError);
  }
}

TEST(LibrarySimulation, RefusesMoreThanExactlyThese) {
  Simulation simulation(10, {.expected_storms = 1, .expected_impacts = 1, .exactly_these = true});
  simulation.apply(std::vector<Impact>{{5, 1}});
  EXPECT_THROW(simulation.apply(std::vector<Impact>{{5, 1}}), InputError);
  EXPECT_THROW(simulation.layer(), InputError);
  simulation.reset();
  EXPECT_EQ(simulation.apply(std::vector<Impact>{{5, 1}}).position, 5);
}

struct Enough : std::exception {};

TEST(LibrarySimulation, EndsWhereItIsInterrupted) {
  int asked = 0;
  SimulationSettings settings{.engine = "reference"};
  settings.interrupt = [&] {
    if (++asked == 2) throw Enough();
  };
  Simulation simulation(100'000, settings);
  const std::vector<Storm> storm = random_storms(100'000, 1, 5000);
  EXPECT_THROW(simulation.apply(storm), Enough);
  EXPECT_EQ(message_of([&] { simulation.layer(); }),
            "an earlier call ended with an exception, and the layer is lost; reset() comes next");
  simulation.reset();
  const std::vector<Storm> short_one{{"", {{50, 3}}}};
  expect_peaks(simulation.apply(short_one), by_the_rule({100'000, short_one}).peaks);
  asked = 1;
  const auto many_short_calls = [&] {
    for (int i = 0; i < 50'000; ++i) simulation.layer();
  };
  EXPECT_THROW(many_short_calls(), Enough);
}

TEST_F(LibrarySimulations, ServesSeveralThreadsAtOnce) {
  const std::vector<Storm> storms = random_storms(3000, 4, 60);
  const oracle::Result expected = by_the_rule({3000, storms});
  std::vector<std::vector<Maximum>> maxima(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < maxima.size(); ++i) {
      threads.emplace_back([&, i] {
        // On a GPU, too, one computes on the CPU.
        SimulationSettings settings{.device = i == 3 ? Device(Device::cpu) : here().device,
                                    .method = i % 2 == 0 ? Method::direct : Method::fast};
        settings.threads = settings.device == Device::cpu ? 2 : 0;
        for (int again = 0; again < 3; ++again) {
          Simulation simulation(3000, settings);
          maxima[i].clear();
          for (const Storm& storm : storms) maxima[i].push_back(simulation.apply(storm.impacts));
          simulation.reset();
          EXPECT_EQ(simulation.apply(storms), maxima[i]);
        }
      });
    }
  }
  for (const std::vector<Maximum>& of_thread : maxima) expect_peaks(of_thread, expected.peaks);
}

// As in a program that was linked by -ffast-math, or after fesetround().
TEST(LibrarySimulation, ComputesAsEverWhateverItsCallerHasSet) {
  const std::vector<Storm> storms = random_storms(3000, 3, 400);
  const Layer singles = std::vector<float>(3000, 0x1p-130F),
              doubles = std::vector<double>(3000, 1e-310);
  const auto answers = [&] {
    std::vector<std::pair<std::vector<Maximum>, Layer>> all;
    for (const std::string engine :
         {"reference", "cpu_direct", "cpu_double", "cpu_fast", "cpu_sparse"}) {
      Simulation simulation(3000, {.engine = engine, .threads = 3});
      if (engine != "cpu_fast" && engine != "cpu_sparse") {
        simulation.begin_with(
            view_of(simulation.plan().precision == Precision::binary64 ? doubles : singles));
        simulation.apply(std::vector<Impact>{});
        all.emplace_back(std::vector<Maximum>{}, simulation.layer());
      }
      const std::vector<Maximum> maxima = simulation.apply(storms);
      all.emplace_back(maxima, simulation.layer());
    }
    return all;
  };
  const std::string locale = std::setlocale(LC_ALL, nullptr);
  const auto expected = answers();
  EXPECT_EQ(std::setlocale(LC_ALL, nullptr), locale);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
    const tests::OtherArithmetic callers(rounding);
    const bool flushed = tests::flushes_to_zero();
    EXPECT_TRUE(answers() == expected) << rounding;
    EXPECT_EQ(std::fegetround(), rounding);
    EXPECT_EQ(tests::flushes_to_zero(), flushed);
  }
}

}  // namespace
}  // namespace bombard
