#include "bombard/ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "kernels/base/share_out.hpp"
#include "kernels/base/stoppable_work.hpp"
#include "sim/checks.hpp"
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

/// Computes run `index` with an engine, and writes its maxima to the places of its storms among
/// all.
void compute(Engine& engine, const Runs& runs, std::int64_t index, std::span<Maximum> maxima) {
  const auto run = static_cast<std::size_t>(index);
  const auto first = static_cast<std::size_t>(runs.run_starts[run]);
  const auto end = static_cast<std::size_t>(runs.run_starts[run + 1]);
  engine.reset();
  for (std::size_t storm = first; storm < end; ++storm) {
    const auto begin = static_cast<std::size_t>(runs.storm_starts[storm]);
    const auto behind = static_cast<std::size_t>(runs.storm_starts[storm + 1]);
    maxima[storm] = engine.apply({runs.impacts.subspan(begin, behind - begin)});
  }
}

/// An engine for each thread, and one run at a time for each engine.
std::vector<Maximum> run_by_run(const Runs& runs, const Plan& plan, EngineOptions options,
                                const std::function<void()>& interrupt) {
  const int all = thread_count(options);
  const auto engines = static_cast<int>(std::clamp<std::int64_t>(runs.runs(), 1, all));
  options.threads = all / engines;
  options.bytes_beside = (engines - 1) * engine_of(plan).bytes(options);
  std::vector<Maximum> maxima(static_cast<std::size_t>(runs.storms()));
  const StoppableWork work(interrupt);
  cpu::share_out(runs.runs(), engines, [&](const auto& each) {
    const std::unique_ptr<Engine> engine = engine_of(plan).make(options);
    each([&](std::int64_t run) { compute(*engine, runs, run, maxima); });
  });
  return maxima;
}

/// Refuses a GPU: small runs one after another do not suit it.
void check_device(const SimulationSettings& settings) {
  const EngineEntry* const engine = find_engine(settings.engine);
  const bool on_gpu = engine != nullptr && engine->on_device;
  if (settings.device.kind != Device::cuda && !on_gpu) return;
  throw InputError(fmt::format(
      "an ensemble is computed on the CPU, a run on each core, which {} rules out; leave it "
      "out, or compute each run by itself",
      on_gpu ? named(Setting::engine, engine->name) : named(Setting::device, "cuda")));
}

}  // namespace

std::vector<Maximum> ensemble(std::int64_t cells, const Runs& runs,
                              const SimulationSettings& settings) {
  check(runs);
  check_device(settings);
  const std::int64_t count = std::max<std::int64_t>(1, runs.runs());
  const auto impacts = static_cast<std::int64_t>(runs.impacts.size());
  SimulationSettings of_run = settings;
  of_run.device = Device::cpu;
  if (settings.engine.empty()) of_run.threads = 1;
  const Plan plan = make_plan(
      of_run, {cells, impacts / count, runs.storms() / count, settings.rule.attenuation, true});
  EngineOptions options = engine_options(plan, settings);
  options.storms = 0;  // of the longest run
  for (std::size_t run = 1; run < runs.run_starts.size(); ++run) {
    options.storms = std::max(options.storms, runs.run_starts[run] - runs.run_starts[run - 1]);
  }
  options.keep_layer = false;
  return run_by_run(runs, plan, options, settings.interrupt);
}

}  // namespace bombard
