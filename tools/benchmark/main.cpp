// The speed of the engines and the kernels, against plain programs and against limits measured in
// the same run (docs/performance.md), and how the time of storms grows.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "bombard/errors.hpp"
#include "kernels/base/instruction_set.hpp"
#include "kernels/device/device.hpp"
#include "tools/benchmark/benchmarks.hpp"
#include "tools/benchmark/on_device.hpp"

namespace {

using namespace bombard;

constexpr const char* help =
    "bombard-bench [--json] [--benchmark_...]\n"
    "  what the engines and the kernels reach, against plain programs and limits; --json is\n"
    "  --benchmark_format=json\n"
    "bombard-bench --benchmark_filter=growth/cells/ (impacts, both, methods, sparse)\n"
    "  how the time of storms grows; with --benchmark_format=csv a table that tools/plot draws\n"
    "\n"
    "Google Benchmark's own options:\n";

bool start_device() {
  const std::vector<cuda::Device> devices = cuda::devices();
  const bool usable = !devices.empty() && devices[0].has_code;
  if (usable) cuda::use_device(0);
  return usable;
}

int benchmarks(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  static char json[] = "--benchmark_format=json";
  static char plain_counters[] = "--benchmark_counters_tabular=false";
  arguments.push_back(plain_counters);
  for (char*& argument : arguments) {
    if (std::string_view(argument) == "--json") argument = json;
  }
  const bool growth = std::ranges::any_of(arguments, [](std::string_view argument) {
    return argument.find("=growth/") < argument.size();
  });
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  const bool with_device = start_device();
  benchmark::AddCustomContext("instruction_set", std::string(cpu::instruction_set()));
  benchmark::AddCustomContext("device", with_device ? cuda::devices()[0].name : "none");
  if (growth) {
    register_growth(with_device);
  } else {
    register_engines(with_device);
    register_library(with_device);
    if (with_device) on_device<DeviceBenchmarks>().add();
  }
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
  } catch (const InputError& error) {
    fmt::print(stderr, "bombard-bench: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bombard-bench: {}\n", error.what());
    return 3;
  }
}
