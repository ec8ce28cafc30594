#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <limits>
#include <string>

#include "bombard/errors.hpp"
#include "kernels/convolution/cuda/source_ends.cuh"
#include "kernels/convolution/cuda/source_ends.hpp"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

namespace {

/// Sources end on two sides at most.
constexpr std::int64_t most_ends = 2;

/// From this reach on a deposit counts everywhere; positions are at most half as far.
constexpr std::int64_t endless_reach = std::int64_t{1} << 62;

__global__ void fill_shares_kernel(const Shares shares, double* of_distance) {
  const std::int64_t n = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n < Shares::table_size) of_distance[n] = n == 0 ? 0.0 : shares.compute(n);
}

/// Where the ends of a deposit stand in the lists: list * chunks + chunk. Those that it does not
/// have stand behind all lists.
struct EndKeys {
  std::int64_t first, second;
  bool is_source;
};

__device__ EndKeys keys_of(std::int64_t position, std::int64_t reach, std::int64_t cells,
                           std::int64_t chunks, std::int64_t none) {
  const std::int64_t begin = first_cell;
  const std::int64_t end = first_cell + cells;
  // The first cells that do not count.
  const std::int64_t right = position + reach;
  const std::int64_t left = position - reach;
  if (max(left + 1, begin) >= min(right, end)) return {none, none, false};
  const bool ends_right = right < end;
  const bool ends_left = left >= begin;
  const std::int64_t chunk = chunk_of_source(position, chunks);
  if ((ends_right && right / width < chunk + 2) || (ends_left && left / width > chunk - 2)) {
    return {static_cast<int>(End::near) * chunks + chunk, none, false};
  }
  return {ends_right ? static_cast<int>(End::right) * chunks + right / width : none,
          ends_left ? static_cast<int>(End::left) * chunks + left / width : none, true};
}

/// Finds the keys of all deposits' ends and the deposits that are sources. One that is none goes
/// where it brings nothing, and keeps its number. The lists of a storm stand behind those of the
/// storm before.
__global__ void find_ends_kernel(const Impact* deposits, const std::int64_t* reaches,
                                 std::int64_t count, const StormList storms, std::int64_t cells,
                                 std::int64_t chunks, std::int64_t behind_lists, Impact* sources,
                                 unsigned* keys, unsigned* numbers) {
  follow_previous();
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Impact deposit = deposits[i];
  const std::int64_t reach = min(max(reaches[i], std::int64_t{0}), endless_reach);
  const EndKeys found = keys_of(deposit.position + first_cell, reach, cells, chunks, behind_lists);
  const std::int64_t before = storms.of(i) * end_lists * chunks;
  sources[i] = found.is_source ? deposit : Impact{-endless_reach / 2, 0};
  const std::int64_t of_end[most_ends] = {found.first, found.second};
  for (int end = 0; end < most_ends; ++end) {
    const bool is_end = of_end[end] != behind_lists;
    keys[end * count + i] = static_cast<unsigned>(is_end ? before + of_end[end] : behind_lists);
    numbers[end * count + i] = static_cast<unsigned>(i);
  }
}

/// The place of the first of the sorted keys that is not below this one.
__device__ unsigned lower_bound(const unsigned* keys, unsigned count, unsigned key) {
  unsigned first = 0;
  while (count > 0) {
    const unsigned half = count / 2;
    const bool below = keys[first + half] < key;
    first += below ? half + 1 : 0;
    count = below ? count - half - 1 : half;
  }
  return first;
}

/// From the sorted keys the starts of all lists' chunks, and the deposits in this order. As many
/// threads as there are starts or ends.
__global__ void list_ends_kernel(const Impact* deposits, const std::int64_t* reaches,
                                 const StormList storms, const unsigned* keys,
                                 const unsigned* numbers, unsigned ends, unsigned behind_lists,
                                 unsigned* starts, EndingDeposit* ending) {
  follow_previous();
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i <= behind_lists) starts[i] = lower_bound(keys, ends, static_cast<unsigned>(i));
  if (i >= ends || keys[i] >= behind_lists) return;
  const unsigned number = numbers[i];
  const Impact deposit = deposits[number];
  const std::int64_t storm = storms.of(number);
  const std::int64_t before = storm == 0 ? 0 : storms.ends[storm - 1];
  ending[i] = {deposit.position + first_cell, min(reaches[number], endless_reach), deposit.energy,
               static_cast<unsigned>(number - before)};
}

}  // namespace

SourceEnds::SourceEnds(const Attenuation& attenuation, double scale)
    : attenuation_(attenuation), scale_(scale), shares_(Shares::table_size) {
  launch("fill shares", one_thread_each(Shares::table_size), fill_shares_kernel,
         Shares{attenuation, scale, nullptr}, shares_.span().data());
}

std::span<const Impact> SourceEnds::find(std::span<const Impact> deposits,
                                         std::span<const std::int64_t> reaches,
                                         const StormList& list, std::int64_t storms,
                                         std::int64_t cells, std::int64_t chunks) {
  const auto count = static_cast<std::int64_t>(deposits.size());
  const std::int64_t ends = most_ends * count;
  const std::int64_t behind_lists = storms * end_lists * chunks;
  const std::string what = "storms of impacts that count up to a reach";
  if (std::max(ends, behind_lists) > std::numeric_limits<unsigned>::max()) {
    throw CannotRun(what + ": more than 2^31 of them, or 2^36 cells, cannot be numbered");
  }
  ending_.at_least(ends, what);
  for (DeviceArray<unsigned>& keys : keys_) keys.at_least(ends, what);
  for (DeviceArray<unsigned>& numbers : numbers_) numbers.at_least(ends, what);
  sources_.at_least(count, what);
  starts_.at_least(behind_lists + 1, what);
  chunks_ = chunks;

  launch_beside("find ends", one_thread_each(count), find_ends_kernel, deposits.data(),
                reaches.data(), count, list, cells, chunks, behind_lists, sources_.span().data(),
                keys_[0].span().data(), numbers_[0].span().data());
  const auto sort = [&](void* workspace, std::size_t& bytes) {
    // Stable: those of a chunk stay in the order of the storm.
    check(cub::DeviceRadixSort::SortPairs(workspace, bytes, keys_[0].span().data(),
                                          keys_[1].span().data(), numbers_[0].span().data(),
                                          numbers_[1].span().data(), ends, 0,
                                          std::bit_width(static_cast<std::uint64_t>(behind_lists))),
          "CUB's radix sort");
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  workspace_.at_least(static_cast<std::int64_t>(bytes), what);
  sort(workspace_.span().data(), bytes);
  launch("list ends", one_thread_each(std::max(ends, behind_lists + 1)), list_ends_kernel,
         deposits.data(), reaches.data(), list, keys_[1].span().data(), numbers_[1].span().data(),
         static_cast<unsigned>(ends), static_cast<unsigned>(behind_lists), starts_.span().data(),
         ending_.span().data());
  return std::span<const Impact>(sources_.span()).first(deposits.size());
}

EndLists SourceEnds::lists() const {
  return {.deposits = ending_.span().data(),
          .starts = starts_.span().data(),
          .chunks = chunks_,
          .shares = {attenuation_, scale_, shares_.span().data()},
          .uncertainty = {}};
}

}  // namespace bombard::cuda
