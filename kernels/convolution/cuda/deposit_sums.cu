#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>
#include <limits>

#include "kernels/convolution/cuda/deposit_sums.hpp"
#include "kernels/device/device.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/layer/cell_deposit.hpp"

namespace bombard::cuda {

namespace {

constexpr int threads = 1024;
/// A block of compute capability 9.0 can have 227 KiB of shared memory. A window is as many cells
/// as it keeps sums of there, of 32 bits each: 49152 cells, 192 KiB. It is a few steps, powers of
/// two, so that the window of a cell is found without a division.
constexpr int window_step = 1 << 14;
constexpr int window_steps = 3;
constexpr int window_cells = window_steps * window_step;
/// Deposits that a block sorts at once: the more there are for each bucket, the longer the runs
/// that it writes. 20480 of them, 8 bytes each, take 160 KiB, and the two numbers for each bucket
/// 32 KiB (sort_bytes()): 192 KiB again.
constexpr int of_thread = 20;
constexpr std::int64_t piece = threads * of_thread;
/// Deposits of a bucket that one block adds up. What a bucket has more goes to other blocks: else
/// few blocks would have most of the work of a storm that is heaped on few cells.
constexpr std::int64_t most_of_block = std::int64_t{1} << 19;

/// The layer in buckets that deposits are sorted into, each a few windows.
struct Buckets {
  static constexpr std::int64_t most = 1 << 12;  ///< fits into shared memory beside a piece
  int windows;                                   ///< in each
  int count;
  unsigned reciprocal;  ///< 2^32 / steps in each, rounded up: exact for cells < 2^32

  explicit Buckets(std::int64_t cells)
      : windows(static_cast<int>((cells - 1) / (most * window_cells)) + 1),
        count(static_cast<int>((cells - 1) / (windows * window_cells)) + 1),
        reciprocal(static_cast<unsigned>(
            (1ULL << 32) / (window_steps * static_cast<unsigned>(windows)) + 1)) {}

  __device__ unsigned operator()(std::uint32_t cell) const {
    return __umulhi(cell / window_step, reciprocal);
  }
};

/// Calls use(deposit) for those from `begin` to end - 1, all of them by the threads of a block.
template <class Use>
__device__ void for_each_deposit(const CellDeposit* deposits, std::int64_t begin, std::int64_t end,
                                 const Use& use) {
  constexpr int at_once = 8;
  std::int64_t i = begin + threadIdx.x;
  for (; i + (at_once - 1) * threads < end; i += at_once * threads) {
    CellDeposit several[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) several[k] = deposits[i + k * threads];
#pragma unroll
    for (int k = 0; k < at_once; ++k) use(several[k]);
  }
  for (; i < end; i += threads) use(deposits[i]);
}

/// How many deposits each bucket has, added to counts.
__global__ void __launch_bounds__(threads)
    count_kernel(const CellDeposit* deposits, std::int64_t count, const Buckets bucket,
                 unsigned* counts) {
  extern __shared__ unsigned of_bucket[];
  for (int b = threadIdx.x; b < bucket.count; b += threads) of_bucket[b] = 0;
  __syncthreads();
  const std::int64_t share = (count + gridDim.x - 1) / gridDim.x;
  const std::int64_t begin = blockIdx.x * share;
  for_each_deposit(deposits, begin, min(begin + share, count), [&](const CellDeposit& deposit) {
    atomicAdd(of_bucket + bucket(deposit.cell), 1U);
  });
  __syncthreads();
  for (int b = threadIdx.x; b < bucket.count; b += threads) {
    if (of_bucket[b] != 0) atomicAdd(counts + b, of_bucket[b]);
  }
}

/// Puts deposits into their buckets, which begin at starts[b]; counts[b] places there are left, and
/// taken from the last one on. A block orders its piece in shared memory, to write it in runs.
__global__ void __launch_bounds__(threads)
    sort_kernel(const CellDeposit* deposits, std::int64_t count, const Buckets bucket,
                const unsigned* starts, unsigned* counts, CellDeposit* sorted) {
  extern __shared__ CellDeposit ordered[];                           // [piece]
  auto* const place = reinterpret_cast<unsigned*>(ordered + piece);  // [bucket]: in the piece
  unsigned* const shift = place + bucket.count;                      // [bucket]: from there on
  using Scan = cub::BlockScan<unsigned, threads>;
  __shared__ typename Scan::TempStorage scan_memory;

  const std::int64_t begin = blockIdx.x * piece;
  const int size = static_cast<int>(min(piece, count - begin));
  const auto index = [&](int k) { return k * threads + static_cast<int>(threadIdx.x); };
  for (int b = threadIdx.x; b < bucket.count; b += threads) place[b] = 0;
  CellDeposit deposit[of_thread];
#pragma unroll
  for (int k = 0; k < of_thread; ++k) {
    if (index(k) < size) deposit[k] = deposits[begin + index(k)];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < of_thread; ++k) {
    if (index(k) < size) atomicAdd(place + bucket(deposit[k].cell), 1U);
  }
  __syncthreads();
  const int share = (bucket.count + threads - 1) / threads;
  const int first = min(static_cast<int>(threadIdx.x) * share, bucket.count);
  const int last = min(first + share, bucket.count);
  unsigned before = 0;
  for (int b = first; b < last; ++b) before += place[b];
  Scan(scan_memory).ExclusiveSum(before, before);
  for (int b = first; b < last; ++b) {
    const unsigned wanted = place[b];
    if (wanted != 0) shift[b] = starts[b] + atomicSub(counts + b, wanted) - wanted - before;
    place[b] = before;
    before += wanted;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < of_thread; ++k) {
    if (index(k) < size) {
      ordered[atomicAdd(place + bucket(deposit[k].cell), 1U)] = deposit[k];
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < of_thread; ++k) {
    if (index(k) >= size) continue;
    const CellDeposit here = ordered[index(k)];
    sorted[shift[bucket(here.cell)] + index(k)] = here;
  }
}

/// Sums of a block's window. They are added up in 32 bits, and in 64, a part of the window after
/// the other, if that was too little for any of them.
class WindowSums {
 public:
  static constexpr std::int64_t bytes = window_cells * sizeof(unsigned);

  /// `first` is the window's first cell.
  __device__ WindowSums(unsigned* memory, std::int64_t first, std::int64_t size)
      : memory_(memory),
        first_(first),
        cells_(static_cast<int>(min(std::int64_t{window_cells}, size - first))) {}

  /// Calls use(cell, sum) for every cell of the window with the sum of those deposits that are
  /// among its cells. All threads of the block take part.
  template <class Use>
  __device__ void add_up(const CellDeposit* deposits, std::int64_t begin, std::int64_t end,
                         const Use& use) const {
    clear();
    bool too_large = false;
    for_each_deposit(deposits, begin, end, [&](const CellDeposit& deposit) {
      const std::int64_t i = deposit.cell - first_;
      if (i < 0 || i >= cells_) return;
      const auto before =
          static_cast<int>(atomicAdd(memory_ + i, static_cast<unsigned>(deposit.energy)));
      const std::int64_t after = std::int64_t{before} + deposit.energy;
      too_large |= after != static_cast<int>(after);
    });
    if (__syncthreads_or(too_large) == 0) {
      for (int i = threadIdx.x; i < cells_; i += threads) {
        use(first_ + i, std::int64_t{static_cast<int>(memory_[i])});
      }
      return;
    }
    constexpr int half = window_cells / 2;
    unsigned* const high = memory_ + half;
    for (int from = 0; from < cells_; from += half) {
      clear();
      for_each_deposit(deposits, begin, end, [&](const CellDeposit& deposit) {
        const std::int64_t i = deposit.cell - first_ - from;
        if (i < 0 || i >= half) return;
        const auto added = static_cast<unsigned>(deposit.energy);
        const unsigned before = atomicAdd(memory_ + i, added);
        const int carry = (before + added < added ? 1 : 0) - (deposit.energy < 0 ? 1 : 0);
        if (carry != 0) atomicAdd(high + i, static_cast<unsigned>(carry));
      });
      __syncthreads();
      for (int i = threadIdx.x; i < min(half, cells_ - from); i += threads) {
        use(first_ + from + i,
            static_cast<std::int64_t>(std::uint64_t{high[i]} << 32 | memory_[i]));
      }
    }
  }

 private:
  __device__ void clear() const {
    __syncthreads();
    for (int i = threadIdx.x; i < window_cells; i += threads) memory_[i] = 0;
    __syncthreads();
  }

  unsigned* memory_;
  std::int64_t first_;
  int cells_;
};

/// One block for each window: the sums of its bucket's first deposits.
__global__ void __launch_bounds__(threads)
    sum_windows_kernel(const CellDeposit* sorted, const unsigned* starts, const Buckets bucket,
                       std::int64_t size, std::int64_t* sums) {
  extern __shared__ unsigned memory[];
  const std::int64_t begin = starts[blockIdx.x / bucket.windows];
  const std::int64_t end = starts[blockIdx.x / bucket.windows + 1];
  WindowSums(memory, std::int64_t{blockIdx.x} * window_cells, size)
      .add_up(sorted, begin, min(end, begin + most_of_block),
              [&](std::int64_t cell, std::int64_t sum) { sums[cell] = sum; });
}

/// One block for every most_of_block sorted deposits: adds those that are not among the first ones
/// of a bucket.
__global__ void __launch_bounds__(threads)
    sum_rest_kernel(const CellDeposit* sorted, std::int64_t count, const unsigned* starts,
                    const Buckets bucket, std::int64_t size, std::int64_t* sums) {
  extern __shared__ unsigned memory[];
  const std::int64_t begin = blockIdx.x * most_of_block;
  const std::int64_t end = min(begin + most_of_block, count);
  int b = 0;  // the last bucket that begins no later
  for (int step = Buckets::most; step > 0; step /= 2) {
    if (b + step < bucket.count && starts[b + step] <= begin) b += step;
  }
  for (; b < bucket.count && starts[b] < end; ++b) {
    const std::int64_t from = max(begin, starts[b] + most_of_block);
    const std::int64_t to = min(end, std::int64_t{starts[b + 1]});
    if (from >= to) continue;
    for (int w = 0; w < bucket.windows; ++w) {
      const std::int64_t first = (std::int64_t{b} * bucket.windows + w) * window_cells;
      if (first >= size) break;
      WindowSums(memory, first, size)
          .add_up(sorted, from, to, [&](std::int64_t cell, std::int64_t sum) {
            if (sum == 0) return;
            atomicAdd(reinterpret_cast<unsigned long long*>(sums + cell),
                      static_cast<unsigned long long>(sum));
          });
    }
  }
}

/// Shared memory of sort_kernel.
constexpr std::int64_t sort_bytes(std::int64_t buckets) {
  return piece * sizeof(CellDeposit) + 2 * buckets * sizeof(unsigned);
}

}  // namespace

bool DepositSums::can_sum(std::int64_t deposits, std::int64_t bytes) const {
  constexpr std::int64_t beside = 256 << 20;  // the buckets, CUB's workspace, and some air
  constexpr std::int64_t most = std::numeric_limits<unsigned>::max();
  constexpr auto a_deposit = static_cast<std::int64_t>(sizeof(CellDeposit));
  return deposits <= most && most_shared_memory(sort_kernel) >= sort_bytes(Buckets::most) &&
         (deposits <= sorted_.size() ||
          deposits * a_deposit + bytes + beside <= free_device_memory());
}

void DepositSums::sum(std::span<const CellDeposit> deposits, std::span<std::int64_t> sums) {
  const auto count = static_cast<std::int64_t>(deposits.size());
  const auto size = static_cast<std::int64_t>(sums.size());
  const Buckets buckets(size);
  sorted_.at_least(count);
  if (counts_.at_least(buckets.count + 1)) {
    starts_.at_least(buckets.count + 1);
    allow_shared_memory(count_kernel);
    allow_shared_memory(sort_kernel);
    allow_shared_memory(sum_windows_kernel);
    allow_shared_memory(sum_rest_kernel);
  }
  unsigned* const counts = counts_.span().data();
  unsigned* const starts = starts_.span().data();
  CellDeposit* const sorted = sorted_.span().data();

  check(cudaMemsetAsync(counts, 0, counts_.span().size_bytes(), nullptr), "clearing counts");
  const std::int64_t a_count_each = buckets.count * static_cast<std::int64_t>(sizeof(unsigned));
  launch("count deposits",
         {resident_blocks(count_kernel, threads, a_count_each), threads, a_count_each},
         count_kernel, deposits.data(), count, buckets, counts);
  const auto scan = [&](void* workspace, std::size_t& bytes) {
    check(cub::DeviceScan::ExclusiveSum(workspace, bytes, counts, starts, buckets.count + 1),
          "CUB's scan");
  };
  std::size_t bytes = 0;
  scan(nullptr, bytes);
  workspace_.at_least(static_cast<std::int64_t>(bytes));
  scan(workspace_.span().data(), bytes);
  launch("sort deposits", {(count + piece - 1) / piece, threads, sort_bytes(buckets.count)},
         sort_kernel, deposits.data(), count, buckets, starts, counts, sorted);

  const std::int64_t windows = (size + window_cells - 1) / window_cells;
  launch("sum windows", {windows, threads, WindowSums::bytes}, sum_windows_kernel, sorted, starts,
         buckets, size, sums.data());
  launch("sum the rest", {(count + most_of_block - 1) / most_of_block, threads, WindowSums::bytes},
         sum_rest_kernel, sorted, count, starts, buckets, size, sums.data());
}

}  // namespace bombard::cuda
