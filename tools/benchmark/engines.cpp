// The speed of every engine, compared with the sequential program (docs/performance.md):
// interactions and bytes per second, whole calls by the wall clock. Every timed result is checked;
// a wrong one is an error, not a figure.

#include "sim/engines/engines.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bombard/errors.hpp"
#include "kernels/base/cores.hpp"
#include "kernels/base/measure.hpp"
#include "kernels/base/vector.hpp"
#include "kernels/device/device.hpp"
#include "sim/engine_chain.hpp"
#include "sim/generation.hpp"
#include "tools/judge/cases.hpp"

namespace {

using namespace bombard;

constexpr const char* help =
    "bombard-bench [--shapes=CELLSxIMPACTSxSTORMS,...] [--benchmark_...]\n"
    "  what the engines reach, against the sequential program; with --shapes what they take for\n"
    "  storms of these sizes: with --benchmark_format=csv a table that tools/plot draws\n"
    "\n"
    "Google Benchmark's own options:\n";

struct Shape {
  std::int64_t cells, impacts, storms;
  Rule rule = {};
  std::int32_t weakest = 50, strongest = 150;  ///< energies
  bool is_named = false;  ///< by --shapes: without a sequential program, only on all cores

  std::string name() const {
    return fmt::format("{}x{}x{}{}", cells, impacts, storms,
                       rule.edition == Edition::first ? "/edition:1" : "");
  }
  double interactions() const {
    return static_cast<double>(cells) * static_cast<double>(impacts) * static_cast<double>(storms);
  }
  Workload work() const { return {cells, impacts * storms, storms}; }
  /// Whether engines that store the layer, and the sequential program, are measured.
  bool stored() const { return cells <= 1'000'000'000; }
  /// The bytes that no program can avoid even if it does not keep the layer: the impacts that it
  /// reads.
  double bytes() const { return static_cast<double>(impacts * storms) * sizeof(Impact); }
};
constexpr Rule first_edition{.edition = Edition::first};
constexpr Shape shapes[] = {
    {30'000, 20'000, 6},
    {1'000'000, 5'000, 4},
    {4'000'000, 5'000, 4},
    {100'000'000, 1, 3},
    {1'000'000'000'000, 1'000, 4},
    {35, 8, 4},
    // So few impacts that screening costs about the same as all the arithmetic: cpu_fast takes no
    // more than twice as long as cpu_direct.
    {100'000, 27, 500},
    {1'000'000, 1, 100},
    // As in the course of the first edition: most shares do not count.
    {100'000, 60'000, 1, {}, 50, 149},
    {100'000, 60'000, 1, first_edition, 50, 149},
    {1'000'000, 5'000, 4, first_edition},
    {100'000'000, 1'000'000, 1, {}, 32, 142},
};
// Engines that would take longer, by the estimate, are left out.
constexpr double patience_seconds = 4;
// Fast engines in single precision are also left out above this number of interactions, because
// they have to go direct.
constexpr double most_in_single = 2e12;

std::vector<Storm> storms_of(const Shape& shape) {
  std::vector<Storm> storms;
  for (std::int64_t i = 0; i < shape.storms; ++i) {
    storms.push_back(
        generate_storm(shape.cells, shape.impacts, shape.weakest, shape.strongest, 1, i));
  }
  return storms;
}

/// Interactions per second of the judge's sequential program on the shape's layer, with a storm
/// that takes it tenths of a second.
double sequential_rate(const Shape& shape) {
  static std::map<std::string, double> known;
  double& rate = known[shape.name()];
  if (rate > 0) return rate;
  const auto count = static_cast<std::int64_t>(
      std::clamp(1e8 / static_cast<double>(shape.cells), 1.0, static_cast<double>(shape.impacts)));
  const judge::Case part{.cells = shape.cells,
                         .storms = {generate_storm(shape.cells, count, 50, 150, 1, 0)}};
  const auto seconds = [&] { return judge::sequential_time(part); };
  rate = static_cast<double>(judge::interactions(part)) / median({seconds(), seconds(), seconds()});
  return rate;
}

/// The first engine that runs a shape decides what the others must find; in double precision, where
/// the last bits may differ, each engine decides for itself.
std::vector<Maximum>& expected(const Shape& shape, const EngineEntry& entry) {
  static std::map<std::string, std::vector<Maximum>> known;
  return known[shape.name() + (entry.precision == Precision::binary64 ? entry.name : "")];
}

void measure(benchmark::State& state, const EngineEntry& entry, const Shape& shape, int threads) {
  const std::vector<Storm> storms = storms_of(shape);
  const ProcessorSpeed speed = processor_speed(threads);
  EngineChain engine(entry, {.part = whole_layer(shape.cells),
                             .storms = shape.storms,
                             .rule = shape.rule,
                             .keep_layer = false,
                             .threads = threads});
  std::vector<Maximum>& expected_maxima = expected(shape, entry);
  double of_run = 0;
  const auto all_storms = [&] {
    std::vector<KeptStorm> handed_on;
    for (const Storm& storm : storms) handed_on.push_back({storm.impacts});
    std::vector<Maximum> maxima;
    const WallTimer timer;
    for (KeptStorm& storm : handed_on) maxima.push_back(engine.apply(std::move(storm)));
    of_run = timer.seconds();
    return maxima;
  };
  // A call before the timed ones: the first one also touches memory for the first time.
  const std::vector<Maximum> first = all_storms();
  if (expected_maxima.empty()) expected_maxima = first;
  double seconds = 0;
  for (auto _ : state) {
    engine.reset();
    const std::vector<Maximum> maxima = all_storms();
    state.SetIterationTime(of_run);
    seconds += of_run;
    if (maxima != expected_maxima) {
      state.SkipWithError("maxima differ from another run's");
      return;
    }
  }
  const auto rate = [&](double a_run) {
    return benchmark::Counter(a_run * static_cast<double>(state.iterations()),
                              benchmark::Counter::kIsRate);
  };
  state.counters["interactions/s"] = rate(shape.interactions());
  state.counters["bytes/s"] = rate(shape.bytes());
  // The estimate of `bombard run --dry-run` for the storms, without the engine's start, relative to
  // the time that they take. It assumes that every share counts.
  const double estimated =
      entry.seconds(shape.work(), speed) - entry.seconds({shape.cells, 0, 0}, speed);
  const double a_run = seconds / static_cast<double>(state.iterations());
  state.counters["estimate"] = estimated / a_run;
  if (shape.stored() && !shape.is_named) {
    state.counters["of_plain"] = shape.interactions() / a_run / sequential_rate(shape);
  }
}

/// "1000000x5000x4,35x8x4": cells, impacts and storms. Throws InputError for another text.
std::vector<Shape> named_shapes(const std::string& text) {
  std::istringstream list(text);
  std::vector<Shape> named;
  for (std::string name; std::getline(list, name, ',');) {
    std::istringstream numbers(name);
    Shape shape{};
    shape.is_named = true;
    char cross = 0;
    numbers >> shape.cells >> cross >> shape.impacts >> cross >> shape.storms;
    if (shape.name() != name) {
      throw InputError(fmt::format("--shapes \"{}\" is not CELLSxIMPACTSxSTORMS", name));
    }
    named.push_back(shape);
  }
  return named;
}

bool is_measured(const EngineEntry& entry, const Shape& shape) {
  const bool sparse = entry.method == Method::sparse;
  if (!shape.stored() && !sparse) return false;
  if (!shape.is_named && !sparse && entry.precision == Precision::binary32 &&
      shape.interactions() > most_in_single) {
    return false;
  }
  const ProcessorSpeed speed = processor_speed(default_threads());
  return entry.seconds(shape.work(), speed) < patience_seconds;
}

/// Shapes like the public waves, or those that `only` names ("1000000x5000x4,35x8x4").
void register_engines(bool with_device, const std::string& only) {
  const int cores = default_threads();
  const std::vector<Shape> all(std::begin(shapes), std::end(shapes));
  for (const Shape& shape : only.empty() ? all : named_shapes(only)) {
    for (const EngineEntry& entry : engines()) {
      if ((entry.on_device && !with_device) || !is_measured(entry, shape)) continue;
      const bool reference = std::string_view(entry.name) == "reference";
      for (const int threads : {1, cores}) {
        const bool once = entry.on_device || reference || cores == 1 || shape.is_named;
        if (once && threads != cores) continue;
        std::string name = fmt::format("{}/{}", entry.name, shape.name());
        if (!once) name += fmt::format("/threads:{}", threads);
        const auto run = [&entry, shape, threads](benchmark::State& state) {
          try {
            measure(state, entry, shape, threads);
          } catch (const CannotRun& error) {
            state.SkipWithError(error.what());
          }
        };
        benchmark::RegisterBenchmark(name.c_str(), run)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
}

int benchmarks(int argc, char** argv) {
  constexpr std::string_view option = "--shapes=";
  std::string named;
  std::vector<char*> arguments(argv, argv + argc);
  std::erase_if(arguments, [&](std::string_view argument) {
    if (!argument.starts_with(option)) return false;
    named = argument.substr(option.size());
    return true;
  });
  static char plain_counters[] = "--benchmark_counters_tabular=false";
  arguments.push_back(plain_counters);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  const std::vector<cuda::Device> devices = cuda::devices();
  const bool with_device = !devices.empty() && devices[0].has_code;
  if (with_device) cuda::use_device(0);
  benchmark::AddCustomContext("instruction_set", cpu::instruction_set);
  benchmark::AddCustomContext("device", with_device ? devices[0].name : "none");
  register_engines(with_device, named);
  // It complains itself when no benchmark matches --benchmark_filter.
  return benchmark::RunSpecifiedBenchmarks() > 0 ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1 && std::string_view(argv[1]) == "--help") {
      fmt::print("{}", help);
      std::fflush(stdout);
    }
    return benchmarks(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bombard-bench: {}\n", error.what());
    return dynamic_cast<const InputError*>(&error) != nullptr ? 2 : 3;
  }
}
