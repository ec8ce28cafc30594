// The energies and uncertainties that impacts bring to each cell (docs/methods.md, The fast layer).

#include <algorithm>
#include <cuda/atomic>

#include "kernels/convolution/cuda/sources.hpp"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

namespace {

/// If there is at most one impact for this number of chunks, only chunks with impacts have sums:
/// 512 bytes for each impact then take less memory than 8 bytes for each cell, and are cleared in a
/// tenth of the time of a pass over the layer.
constexpr std::int64_t chunks_of_few = 8;

/// Threads that take one element after another; a thread's elements lie as far apart as there are
/// threads.
LaunchShape strided(std::int64_t elements) {
  // Of 256 threads each: four times what an H200 holds (132 multiprocessors of 2048 threads), so
  // that the last blocks end at about the same time.
  constexpr std::int64_t most_blocks = 4096;
  const LaunchShape all = one_thread_each(std::max<std::int64_t>(elements, 1));
  return {std::min(all.blocks, most_blocks), all.threads};
}

/// Clears all bits. Then prepares for the impacts: either gives each chunk on which they fall a
/// slot, the number of any of its impacts, and clears all slots, or clears the cells on which
/// they fall.
__global__ void clear_kernel(const GatheredImpacts storm, const SourceArrays sources) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  const auto empty = [&](std::int64_t at) {
    sources.energy[at] = 0;
    if (sources.uncertainty != nullptr) sources.uncertainty[at] = 0;
  };
  const bool few = sources.slot != nullptr;
  for (std::int64_t i = thread; i < storm.chunks; i += step) sources.mask[i] = 0;
  for (std::int64_t i = thread; i < storm.count; i += step) {
    const std::int64_t cell = storm.cell_of(storm.impacts[i]);
    if (!storm.is_inside(cell)) continue;
    if (few) {
      atomicExch(sources.slot + cell / chunk_cells, static_cast<unsigned>(i));
    } else {
      empty(cell);
    }
  }
  if (!few) return;
  for (std::int64_t i = thread; i < storm.count * chunk_cells; i += step) empty(i);
}

/// Adds up what the impacts bring to each cell, and sets its bit.
__global__ void add_kernel(const GatheredImpacts storm, const SourceArrays sources) {
  using Word = unsigned long long;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < storm.count;
       i += step) {
    const Impact impact = storm.impacts[i];
    const std::int64_t cell = storm.cell_of(impact);
    if (!storm.is_inside(cell)) continue;
    const std::int64_t chunk = cell / chunk_cells;
    const std::int64_t at = sources.begin_of(chunk) + cell % chunk_cells;
    atomicAdd(reinterpret_cast<Word*>(sources.energy + at),
              static_cast<Word>(std::int64_t{impact.energy}));
    if (sources.uncertainty != nullptr) {
      atomicAdd(sources.uncertainty + at, storm.uncertainty.of(i, impact.energy));
    }
    const ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device> mask(sources.mask[chunk]);
    const std::uint64_t bit = std::uint64_t{1} << (cell % chunk_cells);
    if ((mask.load(::cuda::memory_order_relaxed) & bit) == 0) {
      mask.fetch_or(bit, ::cuda::memory_order_relaxed);
    }
  }
}

}  // namespace

void Sources::gather(const GatheredImpacts& storm, bool tracked) {
  const bool few = storm.count <= storm.chunks / chunks_of_few;
  const std::int64_t cells = few ? storm.count * chunk_cells : storm.cells();
  energy_.at_least(cells, "storms of impacts all over the layer");
  if (tracked) uncertainty_.at_least(cells, "the uncertainty of such storms");
  arrays_ = {mask_.span().data(), few ? slot_.span().data() : nullptr, energy_.span().data(),
             tracked ? uncertainty_.span().data() : nullptr};
  launch("clear", strided(std::max(few ? cells : storm.count, storm.chunks)), clear_kernel, storm,
         arrays_);
  if (storm.count > 0) launch("add up impacts", strided(storm.count), add_kernel, storm, arrays_);
}

}  // namespace bombard::cuda
