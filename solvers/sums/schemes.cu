#include <algorithm>
#include <cmath>
#include <cub/device/device_reduce.cuh>
#include <stdexcept>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/device/launch.cuh"
#include "solvers/sums/operators.cuh"
#include "solvers/sums/schemes.hpp"

namespace bombard::cuda {

namespace {

/// Thread t adds what is s further if t is a multiple of 2 s: half, then a quarter of each warp's
/// threads work while the others wait.
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

/// The first s threads add what is s further: whole warps work or rest.
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

template <class Addressing>
struct InGlobalMemory {
  static constexpr bool needs_workspace = true;
  template <int threads>
  __device__ static float combine_block(float value, float* workspace) {
    float* values = workspace + std::int64_t{blockIdx.x} * threads;
    values[threadIdx.x] = value;
    __syncthreads();
    Addressing::template combine<threads>(values);
    return values[0];
  }
  /// A block reads and writes its elements once and, for each addition, reads two and writes one.
  static double operations_per_access(double threads) {
    return (threads - 1) / (2 * threads + 3 * (threads - 1) + 2);
  }
};

template <class Addressing>
struct InSharedMemory {
  static constexpr bool needs_workspace = false;
  template <int threads>
  __device__ static float combine_block(float value, float*) {
    __shared__ float values[threads];
    values[threadIdx.x] = value;
    __syncthreads();
    Addressing::template combine<threads>(values);
    return values[0];
  }
  /// A block reads its elements and writes its sum.
  static double operations_per_access(double threads) { return (threads - 1) / (threads + 1); }
};

struct InRegisters {
  static constexpr bool needs_workspace = false;
  template <int threads>
  __device__ static float combine_block(float value, float*) {
    return WarpShuffles::combine_block<Sum<float, float>, threads>(value);
  }
  static double operations_per_access(double threads) { return (threads - 1) / (threads + 1); }
};

__global__ void nothing_kernel() {}

template <class Scheme, int threads>
__global__ void __launch_bounds__(threads)
    sum_kernel(const float* values, std::int64_t count, float* workspace, float* sums) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const float sum = Scheme::template combine_block<threads>(i < count ? values[i] : 0, workspace);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

template <class Scheme, int threads>
class RepeatedSums final : public SumByScheme {
 public:
  explicit RepeatedSums(std::int64_t count)
      : count_(count),
        workspace_(Scheme::needs_workspace ? blocks_for(count) * threads : 0),
        sums_{DeviceArray<float>(blocks_for(count)),
              DeviceArray<float>(blocks_for(blocks_for(count)))} {}

  void launch(std::span<const float> values) override {
    const float* from = values.data();
    std::int64_t left = count_;
    int into = 0;
    do {
      const std::int64_t blocks = blocks_for(left);
      cuda::launch("sum", {blocks, threads}, sum_kernel<Scheme, threads>, from, left,
                   workspace_.span().data(), sums_[into].span().data());
      from = result_ = sums_[into].span().data();
      left = blocks;
      into ^= 1;
    } while (left > 1);
  }

  double result() const override {
    float sum;
    copy_to_host(result_, &sum, sizeof(sum));
    return sum;
  }

  double occupancy() const override {
    return cuda::occupancy(sum_kernel<Scheme, threads>, threads);
  }

  double operations_per_access() const override { return Scheme::operations_per_access(threads); }

 private:
  static std::int64_t blocks_for(std::int64_t count) { return (count + threads - 1) / threads; }

  std::int64_t count_;
  DeviceArray<float> workspace_;
  DeviceArray<float> sums_[2];
  const float* result_ = nullptr;
};

class InhouseSum final : public SumByScheme {
 public:
  explicit InhouseSum(std::int64_t count) : reduce_(count, count, 1), result_(1) {}
  void launch(std::span<const float> values) override {
    reduce_(values.data(), result_.span().data());
  }
  double result() const override {
    CompensatedSum sum;
    result_.copy_to({&sum, 1});
    return sum.value();
  }
  double occupancy() const override { return reduce_.occupancy(); }
  double operations_per_access() const override { return 1; }

 private:
  InhouseReduction<AccurateSum<float>, WarpShuffles> reduce_;
  DeviceArray<CompensatedSum> result_;
};

class CubSum final : public SumByScheme {
 public:
  explicit CubSum(std::int64_t count) : count_(count), result_(1) {
    const float* values = nullptr;
    check(cub::DeviceReduce::Sum(nullptr, bytes_, values, result_.span().data(), count_),
          "sizing CUB's sum");
    workspace_ = DeviceArray<std::byte>(static_cast<std::int64_t>(bytes_));
  }
  void launch(std::span<const float> values) override {
    check(cub::DeviceReduce::Sum(workspace_.span().data(), bytes_, values.data(),
                                 result_.span().data(), count_),
          "CUB's sum");
  }
  double result() const override {
    float sum;
    result_.copy_to({&sum, 1});
    return sum;
  }
  double occupancy() const override { return std::nan(""); }
  double operations_per_access() const override { return 1; }

 private:
  std::int64_t count_;
  DeviceArray<float> result_;
  DeviceArray<std::byte> workspace_;
  std::size_t bytes_ = 0;
};

template <class Scheme>
std::unique_ptr<SumByScheme> make_repeated(int threads, std::int64_t count) {
  switch (threads) {
    case 32:
      return std::make_unique<RepeatedSums<Scheme, 32>>(count);
    case 128:
      return std::make_unique<RepeatedSums<Scheme, 128>>(count);
    case 256:
      return std::make_unique<RepeatedSums<Scheme, 256>>(count);
    case 1024:
      return std::make_unique<RepeatedSums<Scheme, 1024>>(count);
    default:
      throw std::invalid_argument("blocks of 32, 128, 256 or 1024 threads");
  }
}

}  // namespace

std::unique_ptr<SumByScheme> make_sum(ReductionScheme scheme, int threads, std::int64_t count) {
  switch (scheme) {
    case ReductionScheme::interleaved_global:
      return make_repeated<InGlobalMemory<Interleaved>>(threads, count);
    case ReductionScheme::sequential_global:
      return make_repeated<InGlobalMemory<Sequential>>(threads, count);
    case ReductionScheme::interleaved_shared:
      return make_repeated<InSharedMemory<Interleaved>>(threads, count);
    case ReductionScheme::sequential_shared:
      return make_repeated<InSharedMemory<Sequential>>(threads, count);
    case ReductionScheme::warp_shuffles:
      return make_repeated<InRegisters>(threads, count);
    case ReductionScheme::inhouse:
      return std::make_unique<InhouseSum>(count);
    default:
      return std::make_unique<CubSum>(count);
  }
}

CubMinima::CubMinima(std::int64_t count, std::int64_t segments)
    : count_(count), segments_(segments) {
  const std::int32_t* values = nullptr;
  std::int32_t* minimum = nullptr;
  check(cub::DeviceReduce::Min(nullptr, workspace_bytes_, values, minimum, count_),
        "sizing CUB's minimum");
  workspace_ = DeviceArray<std::byte>(static_cast<std::int64_t>(workspace_bytes_));
}

void CubMinima::launch(std::span<const std::int32_t> values, std::span<std::int32_t> minima) {
  for (std::int64_t segment = 0; segment < segments_; ++segment) {
    check(cub::DeviceReduce::Min(workspace_.span().data(), workspace_bytes_,
                                 values.data() + segment * count_, minima.data() + segment, count_),
          "CUB's minimum");
  }
}

void launch_nothing() {
  cuda::launch("nothing", {1, 32}, nothing_kernel);
}

}  // namespace bombard::cuda
