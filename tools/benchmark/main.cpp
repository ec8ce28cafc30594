// The speed of the engines, against plain programs and against limits measured in the same run
// (docs/performance.md).

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "bombard/errors.hpp"
#include "kernels/base/instruction_set.hpp"
#include "kernels/device/device.hpp"
#include "tools/benchmark/benchmarks.hpp"

namespace {

using namespace bombard;

constexpr const char* help =
    "bombard-bench [--shapes=CELLSxIMPACTSxSTORMS,...] [--benchmark_...]\n"
    "  what the engines reach, against plain programs and limits; with --shapes what they take "
    "for\n"
    "  storms of these sizes: with --benchmark_format=csv a table that tools/plot draws\n"
    "\n"
    "Google Benchmark's own options:\n";

bool start_device() {
  const std::vector<cuda::Device> devices = cuda::devices();
  const bool usable = !devices.empty() && devices[0].has_code;
  if (usable) cuda::use_device(0);
  return usable;
}

int benchmarks(int argc, char** argv) {
  constexpr std::string_view shapes = "--shapes=";
  std::string named;
  std::vector<char*> arguments(argv, argv + argc);
  std::erase_if(arguments, [&](std::string_view argument) {
    if (!argument.starts_with(shapes)) return false;
    named = argument.substr(shapes.size());
    return true;
  });
  static char plain_counters[] = "--benchmark_counters_tabular=false";
  arguments.push_back(plain_counters);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  const bool with_device = start_device();
  benchmark::AddCustomContext("instruction_set", std::string(cpu::instruction_set()));
  benchmark::AddCustomContext("device", with_device ? cuda::devices()[0].name : "none");
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
  } catch (const InputError& error) {
    fmt::print(stderr, "bombard-bench: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bombard-bench: {}\n", error.what());
    return 3;
  }
}
