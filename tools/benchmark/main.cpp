// bombard-bench [--json] [Google Benchmark's own options]: what the engines and the kernels reach,
// against plain programs and against limits measured in the same run (docs/performance.md).

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "kernels/device.hpp"
#include "kernels/instruction_set.hpp"
#include "tools/benchmark/benchmarks.hpp"

int main(int argc, char** argv) {
  using namespace bombard;
  std::vector<char*> arguments(argv, argv + argc);
  static char json[] = "--benchmark_format=json";
  static char plain_counters[] = "--benchmark_counters_tabular=false";
  arguments.push_back(plain_counters);
  for (char*& argument : arguments) {
    if (std::string_view(argument) == "--json") argument = json;
  }
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  try {
    const std::vector<cuda::Device> devices = cuda::devices();
    const bool with_device = !devices.empty() && devices[0].has_code;
    if (with_device) cuda::use_device(0);
    benchmark::AddCustomContext("instruction_set", std::string(cpu::instruction_set()));
    benchmark::AddCustomContext("device", with_device ? devices[0].name : "none");
    register_engines(with_device);
    if (with_device) register_arg_max();
    benchmark::RunSpecifiedBenchmarks();
  } catch (const std::exception& error) {
    fmt::print(stderr, "bombard-bench: {}\n", error.what());
    return 3;
  }
  return 0;
}
