#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/reduction/arg_max.hpp"
#include "tools/benchmark/measurement.hpp"
#include "tools/benchmark/on_device.hpp"

namespace bombard {

namespace {

constexpr std::int64_t values = 100'000'000;
constexpr std::int64_t where = 61'803'398;

/// Twice as many bytes as any second-level cache, so that every pass reads memory.
cuda::DeviceArray<float> values_with_one_peak() {
  std::vector<float> host(values);
  for (std::int64_t i = 0; i < values; ++i) {
    host[static_cast<std::size_t>(i)] = static_cast<float>(i * 2654435761 % 1000003);
  }
  host[where] = 2e6F;
  return cuda::DeviceArray<float>{std::span<const float>(host)};
}

/// Bytes read and written a second by a device copy.
double copy_bandwidth(const cuda::DeviceArray<float>& from) {
  cuda::DeviceArray<float> to(values);
  const double seconds = median_seconds(true, 21, [&] {
    cuda::copy_on_device(from.span().data(), to.span().data(), values * sizeof(float));
  });
  return 2.0 * values * sizeof(float) / seconds;
}

void add_arg_max() {
  const auto input = std::make_shared<cuda::DeviceArray<float>>(values_with_one_peak());
  const auto result = std::make_shared<cuda::DeviceArray<IndexedValue>>(1);
  const double copy = copy_bandwidth(*input);
  for (const auto reduction : {Reduction::cub, Reduction::inhouse}) {
    const auto run = [=](benchmark::State& state) {
      double seconds = 0;
      for (auto _ : state) {
        const double of_run = seconds_of(
            true, [&] { cuda::arg_max(std::as_const(*input).span(), reduction, result->span()); });
        state.SetIterationTime(of_run);
        seconds += of_run;
        IndexedValue found{};
        result->copy_to({&found, 1});
        if (found.index != where || found.value != 2e6F) {
          state.SkipWithError("wrong arg-max");
          return;
        }
      }
      const double bytes = static_cast<double>(state.iterations()) * values * sizeof(float);
      state.counters["bytes/s"] = benchmark::Counter(bytes, benchmark::Counter::kIsRate);
      state.counters["of_copy"] = bytes / seconds / copy;
    };
    const std::string name = reduction == Reduction::cub ? "cub" : "inhouse";
    benchmark::RegisterBenchmark(("arg_max/" + name + "/1e8").c_str(), run)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

const Registered benchmarks{DeviceBenchmarks{add_arg_max}};

}  // namespace

}  // namespace bombard
