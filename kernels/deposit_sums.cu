#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "kernels/deposit_sums.hpp"
#include "kernels/device.hpp"
#include "kernels/launch.cuh"

namespace bombard::cuda {

namespace {

/// A window is as many cells as one block keeps sums of in shared memory.
constexpr int window_bits = 13;
constexpr int window_cells = 1 << window_bits;
constexpr int window_threads = 512;

/// What CUB sorts: the cell in the upper half, the energy in the lower one. Deposits elsewhere are
/// in the cell behind the last.
constexpr int cell_shift = 32;
__global__ void pack_kernel(const Deposit* deposits, std::int64_t count, std::int64_t first,
                            std::int64_t size, std::uint64_t* packed) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Deposit deposit = deposits[i];
  const std::int64_t cell = deposit.position + first;
  packed[i] = static_cast<std::uint64_t>(cell >= 0 && cell < size ? cell : size) << cell_shift |
              static_cast<std::uint32_t>(deposit.energy);
}

/// Where each window's deposits begin, and where the last one's end.
__global__ void find_windows_kernel(const std::uint64_t* packed, std::int64_t count,
                                    std::int64_t windows, std::int64_t* starts) {
  const std::int64_t window = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (window > windows) return;
  std::int64_t begin = 0;
  for (std::int64_t end = count; begin < end;) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (static_cast<std::int64_t>(packed[middle] >> (cell_shift + window_bits)) < window) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  starts[window] = begin;
}

/// A block adds up a window: sums of 64 bits as two halves of 32, which shared memory adds to by
/// itself.
__global__ void __launch_bounds__(window_threads)
    sum_windows_kernel(const std::uint64_t* packed, const std::int64_t* starts, std::int64_t size,
                       std::int64_t* sums) {
  extern __shared__ uint4 memory[];
  auto* const low = reinterpret_cast<std::uint32_t*>(memory);
  std::uint32_t* const high = low + window_cells;
  for (int i = threadIdx.x; i < 2 * window_cells / 4; i += window_threads) memory[i] = {};
  const std::int64_t end = starts[blockIdx.x + 1];
  std::int64_t i = starts[blockIdx.x] + threadIdx.x;
  __syncthreads();
  const auto add = [&](std::uint64_t deposit) {
    const auto place = static_cast<std::uint32_t>(deposit >> cell_shift) % window_cells;
    const auto added = static_cast<std::uint32_t>(deposit);
    const std::uint32_t before = atomicAdd(low + place, added);
    const bool negative = static_cast<std::int32_t>(added) < 0;
    const int carry = (before + added < added ? 1 : 0) - (negative ? 1 : 0);
    if (carry != 0) atomicAdd(high + place, static_cast<std::uint32_t>(carry));
  };
  constexpr int at_once = 8;
  for (; i + (at_once - 1) * window_threads < end; i += at_once * window_threads) {
    std::uint64_t several[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) several[k] = packed[i + k * window_threads];
#pragma unroll
    for (int k = 0; k < at_once; ++k) add(several[k]);
  }
  for (; i < end; i += window_threads) add(packed[i]);
  __syncthreads();
  const std::int64_t first = std::int64_t{blockIdx.x} * window_cells;
  for (int k = threadIdx.x; k < window_cells && first + k < size; k += window_threads) {
    sums[first + k] = static_cast<std::int64_t>(static_cast<std::uint64_t>(high[k]) << 32 | low[k]);
  }
}

}  // namespace

bool DepositSums::has_room(std::int64_t deposits) const {
  constexpr std::int64_t a_deposit = 2 * sizeof(std::uint64_t);
  constexpr std::int64_t beside = 256 << 20;  // CUB's workspace, the windows, and some air
  return deposits <= packed_[0].size() || deposits * a_deposit + beside <= free_device_memory();
}

void DepositSums::sum(std::span<const Deposit> deposits, std::int64_t first,
                      std::span<std::int64_t> sums) {
  const auto count = static_cast<std::int64_t>(deposits.size());
  const auto size = static_cast<std::int64_t>(sums.size());
  const std::int64_t windows = (size + window_cells - 1) / window_cells;
  for (DeviceArray<std::uint64_t>& packed : packed_) {
    if (packed.size() < count) packed = DeviceArray<std::uint64_t>(count);
  }
  if (starts_.size() <= windows) starts_ = DeviceArray<std::int64_t>(windows + 1);
  launch("pack deposits", one_thread_each(count), pack_kernel, deposits.data(), count, first, size,
         packed_[0].span().data());

  cub::DoubleBuffer<std::uint64_t> packed(packed_[0].span().data(), packed_[1].span().data());
  const int bits = std::max<int>(std::bit_width(sums.size()), window_bits + 1);
  const auto sort = [&](void* workspace, std::size_t& bytes) {
    check(cub::DeviceRadixSort::SortKeys(workspace, bytes, packed, count, cell_shift + window_bits,
                                         cell_shift + bits),
          "CUB's radix sort");
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  if (workspace_.size() < static_cast<std::int64_t>(bytes)) {
    workspace_ = DeviceArray<std::uint8_t>(static_cast<std::int64_t>(bytes));
  }
  sort(workspace_.span().data(), bytes);

  launch("find windows", one_thread_each(windows + 1), find_windows_kernel, packed.Current(), count,
         windows, starts_.span().data());
  allow_shared_memory(sum_windows_kernel);
  launch("sum windows", {windows, window_threads, 2 * window_cells * sizeof(std::uint32_t)},
         sum_windows_kernel, packed.Current(), starts_.span().data(), size, sums.data());
}

}  // namespace bombard::cuda
