// The speed of the engines and the kernels, against plain programs and against limits measured in
// the same run (docs/performance.md), and how the time of a storm grows.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/output_file.hpp"
#include "kernels/base/instruction_set.hpp"
#include "kernels/device/device.hpp"
#include "tools/benchmark/benchmarks.hpp"
#include "tools/benchmark/on_device.hpp"
#include "tools/benchmark/scaling.hpp"

namespace {

using namespace bombard;

constexpr const char* help =
    "bombard-bench [--json] [--benchmark_...]\n"
    "  what the engines and the kernels reach, against plain programs and limits; --json is\n"
    "  --benchmark_format=json\n"
    "bombard-bench --scaling cells|impacts|both|methods|sparse [--csv FILE]\n"
    "  how the time of a storm grows; with --csv also a table that tools/plot draws\n"
    "\n"
    "Google Benchmark's own options:\n";

bool start_device() {
  const std::vector<cuda::Device> devices = cuda::devices();
  const bool usable = !devices.empty() && devices[0].has_code;
  if (usable) cuda::use_device(0);
  return usable;
}

int print_scaling(const std::vector<std::string>& arguments) {
  const bool to_file = arguments.size() == 3 && arguments[1] == "--csv";
  std::optional<OutputFile> file;
  if (to_file) file.emplace(arguments[2]);
  std::optional<Scaling> found;
  if (arguments.size() == 1 || to_file) found = scaling(arguments[0], start_device());
  if (!found) {
    throw InputError(
        "--scaling is followed by cells, impacts, both, methods or sparse, then by nothing or "
        "--csv FILE");
  }
  if (file) {
    file->write(found->table.csv());
    file->commit();
  }
  fmt::print("{}", found->table.text());
  for (const std::string& note : found->notes) fmt::print("{}\n", note);
  return found->valid ? 0 : 1;
}

int benchmarks(int argc, char** argv) {
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
  const bool with_device = start_device();
  benchmark::AddCustomContext("instruction_set", std::string(cpu::instruction_set()));
  benchmark::AddCustomContext("device", with_device ? cuda::devices()[0].name : "none");
  register_engines(with_device);
  register_library(with_device);
  if (with_device) on_device<DeviceBenchmarks>().add();
  // It complains itself when no benchmark matches --benchmark_filter.
  return benchmark::RunSpecifiedBenchmarks() > 0 ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1 && std::string_view(argv[1]) == "--scaling") {
      return print_scaling({argv + 2, argv + argc});
    }
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
