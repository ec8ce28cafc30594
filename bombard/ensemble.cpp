#include "bombard/ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "inputs/byte_count.hpp"
#include "kernels/base/share_out.hpp"
#include "kernels/base/stoppable_work.hpp"
#include "kernels/base/usual_arithmetic.hpp"
#include "sim/checks.hpp"
#include "sim/engine_chain.hpp"
#include "sim/plan.hpp"

namespace bombard {

namespace {

void check_starts(std::span<const std::int64_t> starts, std::int64_t end, const char* what) {
  const bool in_order = !starts.empty() && starts.front() == 0 && starts.back() == end &&
                        std::ranges::is_sorted(starts);
  if (in_order) return;
  throw InputError(
      fmt::format("the starts of {} must begin with 0, never fall, and end with {}", what, end));
}

void check(const Runs& runs) {
  check_starts(runs.storm_starts, static_cast<std::int64_t>(runs.impacts.size()),
               "storms among the impacts");
  check_starts(runs.run_starts, runs.storms(), "runs among the storms");
  check_positions(runs.impacts);
}

/// Computes run `index`, and writes its maxima to the places of its storms among all.
void compute(EngineChain& engine, const Runs& runs, std::int64_t index, std::span<Maximum> maxima) {
  const auto run = static_cast<std::size_t>(index);
  engine.reset();
  for (auto storm = static_cast<std::size_t>(runs.run_starts[run]);
       storm < static_cast<std::size_t>(runs.run_starts[run + 1]); ++storm) {
    const CellRange own{runs.storm_starts[storm], runs.storm_starts[storm + 1]};
    const auto impacts = slice(runs.impacts, own);
    maxima[storm] = engine.apply({{impacts.begin(), impacts.end()}});
  }
}

/// Refuses a GPU: small runs one after another do not suit it.
void check_device(const SimulationSettings& settings) {
  const EngineEntry* const engine = find_engine(settings.engine);
  const bool on_gpu = engine != nullptr && engine->on_device;
  if (settings.device.kind != Device::cuda && !on_gpu) return;
  throw InputError(fmt::format(
      "an ensemble is computed on the CPU, a run on each core, which {} rules out; leave it "
      "out, or compute each run by itself",
      on_gpu ? "engine " + settings.engine : "device cuda"));
}

}  // namespace

std::vector<Maximum> ensemble(std::int64_t cells, const Runs& runs,
                              const SimulationSettings& settings) {
  const UsualArithmetic arithmetic;
  check(settings, cells);
  check(runs);
  check_device(settings);
  const std::int64_t count = std::max<std::int64_t>(1, runs.runs());
  SimulationSettings of_run = settings;
  of_run.device = Device::cpu;
  of_run.expected_storms = runs.storms() / count;
  of_run.expected_impacts = static_cast<std::int64_t>(runs.impacts.size()) / count;
  of_run.wanted = Wanted::maxima;
  of_run.exactly_these = true;
  if (settings.engine.empty()) of_run.threads = 1;
  Plan plan = make_plan(cells, of_run);
  // Memory is needed for the longest run.
  for (std::size_t run = 1; run < runs.run_starts.size(); ++run) {
    const std::int64_t begin = runs.run_starts[run - 1], end = runs.run_starts[run];
    plan.storms = std::max(plan.storms, end - begin);
    plan.impacts = std::max(plan.impacts, runs.storm_starts[static_cast<std::size_t>(end)] -
                                              runs.storm_starts[static_cast<std::size_t>(begin)]);
  }

  // An engine for each thread, and one run at a time for each engine.
  const int threads = settings.threads > 0 ? settings.threads : default_threads();
  const auto engines = static_cast<int>(std::clamp<std::int64_t>(runs.runs(), 1, threads));
  plan.threads = threads / engines;
  const EngineEntry& entry = engine_of(plan);
  plan.host_bytes =
      byte_count({engines, entry.bytes(engine_options(plan)) + bytes_kept(entry, plan.impacts)});
  require_memory(plan);
  std::vector<Maximum> maxima(static_cast<std::size_t>(runs.storms()));
  const StoppableWork work(settings.interrupt);
  cpu::share_out(runs.runs(), engines, [&](const auto& each) {
    EngineChain engine(entry, engine_options(plan));
    each([&](std::int64_t run) { compute(engine, runs, run, maxima); });
  });
  return maxima;
}

}  // namespace bombard
