#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <utility>

#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "solvers/minima/minima.hpp"
#include "solvers/sums/operators.cuh"
#include "solvers/sums/reduction.hpp"

namespace bombard::cuda {

namespace {

/// Thread t adds the value s places further on if t is a multiple of 2 s: half, then a quarter of
/// each warp's threads work while the others wait.
struct Interleaved {
  template <int threads>
  __device__ static void combine(float* values) {
    const int t = static_cast<int>(threadIdx.x);
    for (int s = 1; s < threads; s *= 2) {
      if (t % (2 * s) == 0) values[t] += values[t + s];
      __syncthreads();
    }
  }
};

/// The first s threads add the value s places further on: whole warps work or rest.
struct Sequential {
  template <int threads>
  __device__ static void combine(float* values) {
    const int t = static_cast<int>(threadIdx.x);
    for (int s = threads / 2; s > 0; s /= 2) {
      if (t < s) values[t] += values[t + s];
      __syncthreads();
    }
  }
};

template <class Addressing, bool global>
struct InMemory {
  static constexpr bool in_global_memory = global;
  template <int threads>
  __device__ static float combine_block(float value, float* workspace) {
    __shared__ float shared[global ? 1 : threads];
    float* values = global ? workspace + std::int64_t{blockIdx.x} * threads : shared;
    values[threadIdx.x] = value;
    __syncthreads();
    Addressing::template combine<threads>(values);
    return values[0];
  }
};

struct InRegisters {
  static constexpr bool in_global_memory = false;
  template <int threads>
  __device__ static float combine_block(float value, float*) {
    return WarpShuffles::combine_block<Sum<float>, threads>(value);
  }
};

template <class Scheme, int threads>
__global__ void __launch_bounds__(threads)
    sum_kernel(const float* values, std::int64_t count, float* workspace, float* sums) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const float sum = Scheme::template combine_block<threads>(i < count ? values[i] : 0, workspace);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// Sums of blocks, then of their sums, until one is left.
template <class Scheme, int threads>
double sum_in_launches(std::span<const float> values, double* seconds) {
  const DeviceArray<float> there{values};
  const auto blocks_for = [](std::int64_t count) { return (count + threads - 1) / threads; };
  const auto count = static_cast<std::int64_t>(values.size());
  DeviceArray<float> workspace(Scheme::in_global_memory ? blocks_for(count) * threads : 0);
  DeviceArray<float> sums[2] = {DeviceArray<float>(blocks_for(count)),
                                DeviceArray<float>(blocks_for(blocks_for(count)))};
  const float* result = nullptr;
  run_timed(seconds, [&] {
    const float* from = there.span().data();
    std::int64_t left = count;
    int into = 0;
    do {
      const std::int64_t blocks = blocks_for(left);
      launch("sum", {blocks, threads}, sum_kernel<Scheme, threads>, from, left,
             workspace.span().data(), sums[into].span().data());
      from = result = sums[into].span().data();
      left = blocks;
      into ^= 1;
    } while (left > 1);
  });
  float sum;
  copy_to_host(result, &sum, sizeof(sum));
  return sum;
}

/// `first` and the elements, combined by CUB.
template <class Element, class Combine, class Result>
Result combined(std::span<const Element> elements, const Combine& combine, Result first,
                double* seconds) {
  require_device_memory(static_cast<std::int64_t>(elements.size_bytes()), "the reduction");
  const DeviceArray<Element> there{elements};
  DeviceArray<Result> result(1);
  std::size_t bytes = 0;
  const auto reduce = [&](void* workspace) {
    check(cub::DeviceReduce::Reduce(workspace, bytes, there.span().data(), result.span().data(),
                                    there.size(), combine, first),
          "CUB's reduction");
  };
  reduce(nullptr);
  DeviceArray<std::byte> workspace(static_cast<std::int64_t>(bytes));
  run_timed(seconds, [&] { reduce(workspace.span().data()); });
  result.copy_to({&first, 1});
  return first;
}

template <class T, class Total>
solve::Sum<T> cub_sum(std::span<const T> values, double* seconds) {
  return combined(values, ::cuda::std::plus<>(), Total{0}, seconds);
}

template <class Element, class Combine>
Element combined_by_cub(std::span<const Element> elements, double* seconds) {
  return combined(elements, Combine(), elements.front(), seconds);
}
template <class Element, class Combine>
std::vector<DeviceCombined<Element, Combine>> by_cub() {
  return {{"CUB", 0, combined_by_cub<Element, Combine>}};
}

template <class Scheme, int... threads>
void add(std::vector<DeviceSum<float>>& all, const char* name,
         std::integer_sequence<int, threads...>) {
  (all.push_back({name, threads, sum_in_launches<Scheme, threads>}), ...);
}

std::vector<DeviceSum<float>> sums_in_single() {
  constexpr std::integer_sequence<int, 32, 128, 256, 1024> blocks;
  std::vector<DeviceSum<float>> all{{"CUB in double", 0, cub_sum<float, double>}};
  add<InMemory<Interleaved, true>>(all, "interleaved in global memory", blocks);
  add<InMemory<Sequential, true>>(all, "sequential in global memory", blocks);
  add<InMemory<Interleaved, false>>(all, "interleaved in shared memory", blocks);
  add<InMemory<Sequential, false>>(all, "sequential in shared memory", blocks);
  add<InRegisters>(all, "warp shuffles", blocks);
  all.push_back({"CUB", 0, cub_sum<float, float>});
  return all;
}

const Registered sum_of_integers{
    std::vector<DeviceSum<std::int32_t>>{{"CUB", 0, cub_sum<std::int32_t, std::int64_t>}}};
const Registered sum_in_single{sums_in_single()};
const Registered sum_in_double{std::vector<DeviceSum<double>>{{"CUB", 0, cub_sum<double, double>}}};
const Registered maximum_of_integers{by_cub<std::int32_t, Larger>()};
const Registered maximum_in_single{by_cub<float, Larger>()};
const Registered maximum_in_double{by_cub<double, Larger>()};
const Registered minima_of_integers{by_cub<Matrix3x3<std::int32_t>, SmallerElements>()};
const Registered minima_in_single{by_cub<Matrix3x3<float>, SmallerElements>()};
const Registered minima_in_double{by_cub<Matrix3x3<double>, SmallerElements>()};

}  // namespace

}  // namespace bombard::cuda
