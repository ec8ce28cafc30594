#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "bombard/ensemble.hpp"
#include "bombard/simulation.hpp"
#include "sim/engines/engines.hpp"
#include "sim/generation.hpp"
#include "tools/benchmark/benchmarks.hpp"
#include "tools/benchmark/measurement.hpp"

namespace bombard {

namespace {

constexpr std::int64_t cells = 1000, impacts = 50, storms_of_a_run = 3, runs = 10'000;

/// A call for one storm; beside_us: what it takes more than the engine alone, on the processor.
void apply(benchmark::State& state, const Device& device) {
  const Storm storm = generate_storm(cells, impacts, 1, 1000, 1, 0);
  Simulation simulation(cells, {.device = device, .method = Method::direct});
  for (auto _ : state) benchmark::DoNotOptimize(simulation.apply(storm.impacts));
  if (device != Device::cpu) return;
  const auto engine =
      make_cpu_direct({.part = whole_layer(cells), .storms = std::int64_t{1} << 40});
  constexpr int calls = 1000;
  const double alone = median_seconds(false, 9, [&] {
    for (int i = 0; i < calls; ++i) engine->apply({&storm, 1});
  });
  const double within = median_seconds(false, 9, [&] {
    for (int i = 0; i < calls; ++i) simulation.apply(storm.impacts);
  });
  state.counters["beside_us"] = (within - alone) / calls * 1e6;
}

/// Monte Carlo: many runs of random storms. The first ones are checked against single runs.
void ensembles(benchmark::State& state, const Device& device) {
  std::vector<Impact> all;
  std::vector<std::int64_t> storm_starts{0};
  std::vector<std::int64_t> run_starts{0};
  for (std::int64_t run = 0; run < runs; ++run) {
    for (std::int64_t storm = 0; storm < storms_of_a_run; ++storm) {
      const Storm next = generate_storm(cells, impacts, 1, 1000, 1, run * storms_of_a_run + storm);
      all.insert(all.end(), next.impacts.begin(), next.impacts.end());
      storm_starts.push_back(static_cast<std::int64_t>(all.size()));
    }
    run_starts.push_back(static_cast<std::int64_t>(storm_starts.size()) - 1);
  }
  const SimulationSettings settings{.device = device};
  std::vector<Maximum> maxima;
  for (auto _ : state) maxima = ensemble(cells, {all, storm_starts, run_starts}, settings);
  Simulation single(cells, {.device = Device::cpu});
  for (std::size_t storm = 0; storm < maxima.size(); ++storm) {
    if (storm % storms_of_a_run == 0) single.reset();
    const auto of_storm = std::span(all).subspan(storm * impacts, impacts);
    if (!(single.apply(of_storm) == maxima[storm])) {
      state.SkipWithError("maxima differ from those of single runs");
      return;
    }
  }
  state.counters["runs/s"] =
      benchmark::Counter(static_cast<double>(runs) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

}  // namespace

void register_library(bool with_device) {
  for (const Device device : {Device::cpu, Device::cuda}) {
    const bool on_gpu = device == Device::cuda;
    if (on_gpu && !with_device) continue;
    const auto add = [&](const std::string& name,
                         void (*measure)(benchmark::State&, const Device&)) {
      return benchmark::RegisterBenchmark(
          fmt::format("{}/{}", name, on_gpu ? "cuda" : "cpu").c_str(),
          [measure, device](benchmark::State& state) { measure(state, device); });
    };
    add("library/apply/1000x50", apply)->UseRealTime()->Unit(benchmark::kMicrosecond);
    add("library/ensemble/10000x1000x50x3", ensembles)
        ->UseRealTime()
        ->MeasureProcessCPUTime()
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace bombard
