// The energies, and uncertainties, that impacts bring to each cell (docs/methods.md, The fast
// layer).

#include <algorithm>

#include "kernels/convolution/cuda/sources.hpp"
#include "kernels/device/launch.cuh"

namespace bombard::cuda {

namespace {

// Measured on an H200 (docs/journal.md), where one way takes as long as the other. With this number
// of impacts, or one impact for this number of cells, all cells are summed: no bit has to be set
// for each.
constexpr std::int64_t many_impacts = 1 << 20;
constexpr std::int64_t dense_cells_an_impact = 8;

/// Threads that take one element after the other; a thread's elements lie as far apart as there are
/// threads.
LaunchShape strided(std::int64_t elements) {
  // Of 256 threads: four times what an H200 holds (132 multiprocessors of 2048 threads), so that
  // its last blocks end at about the same time.
  constexpr std::int64_t most_blocks = 4096;
  const LaunchShape all = one_thread_each(std::max<std::int64_t>(elements, 1));
  return {std::min(all.blocks, most_blocks), all.threads};
}

/// No bit is set. Then, for the impacts to come, either gives each chunk that they fall on a place,
/// the number of any of them, or empties the cells that they fall on.
__global__ void clear_kernel(const GatheredImpacts storms, const SourceArray<std::int64_t> energies,
                             double* uncertainty) {
  let_next_begin();
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = thread; i < storms.storms * storms.chunks; i += step) energies.mask[i] = 0;
  for (std::int64_t i = thread; i < storms.count; i += step) {
    const std::int64_t cell = storms.cell_of(storms.impacts[i]);
    if (!storms.is_inside(cell)) continue;
    if (energies.place != nullptr) {
      atomicExch(energies.place + cell / chunk_cells, static_cast<unsigned>(i));
    } else {
      const std::int64_t place = storms.storm_of(i) * storms.chunks * chunk_cells + cell;
      energies.amount[place] = 0;
      if (uncertainty != nullptr) uncertainty[place] = 0;
    }
  }
}

/// Adds up what the impacts bring to each cell. The bits are all set already, or this sets them.
__global__ void add_kernel(const GatheredImpacts storms, bool bits_are_set,
                           const SourceArray<std::int64_t> energies, double* uncertainty) {
  follow_previous();
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < storms.count;
       i += step) {
    const Impact impact = storms.impacts[i];
    const std::int64_t cell = storms.cell_of(impact);
    if (!storms.is_inside(cell)) continue;
    const std::int64_t storm = storms.storm_of(i);
    const SourceArray<std::int64_t> own = energies.of_storm(storm, storms.chunks);
    std::int64_t* const energy = own.of_chunk(cell / chunk_cells) + cell % chunk_cells;
    atomicAdd(reinterpret_cast<unsigned long long*>(energy),
              static_cast<unsigned long long>(std::int64_t{impact.energy}));
    if (uncertainty != nullptr) {
      atomicAdd(uncertainty + (energy - energies.amount), storms.off(storm, i, impact.energy));
    }
    if (!bits_are_set) {
      atomicOr(reinterpret_cast<unsigned long long*>(own.mask + cell / chunk_cells),
               1ULL << (cell % chunk_cells));
    }
  }
}

}  // namespace

Sources::Sources(std::int64_t chunks) : chunks_(chunks), mask_(chunks), place_(chunks) {}

void Sources::load() {
  load_kernels(clear_kernel, add_kernel);
}

bool Sources::is_dense(std::int64_t impacts) const {
  return impacts > std::max(many_impacts, chunks_ * chunk_cells / dense_cells_an_impact);
}

/// Whether the amounts of all cells do not fit, and those of the chunks on which these few impacts
/// fall take less.
bool Sources::lacks_room(std::int64_t impacts, bool tracked) const {
  const std::int64_t cells_more = chunks_ * chunk_cells - energy_.size();
  if (cells_more <= 0 || impacts > chunks_ / 2) return false;
  const auto of_cell = static_cast<std::int64_t>(sizeof(std::int64_t));
  return cells_more * of_cell * (tracked ? 2 : 1) > free_device_memory();
}

void Sources::gather(const GatheredImpacts& storms, bool tracked) {
  by_place_ = storms.storms == 1 && lacks_room(storms.count, tracked);
  const std::int64_t cells = (by_place_ ? storms.count : storms.storms * chunks_) * chunk_cells;
  mask_.at_least(storms.storms * chunks_);
  energy_.at_least(cells, "storms of impacts all over the layer");
  if (tracked) uncertainty_.at_least(cells, "the uncertainty of such storms");

  const SourceArray<std::int64_t> all = energies(nullptr);
  double* const uncertainty = tracked ? uncertainty_.span().data() : nullptr;
  const bool dense = storms.storms == 1 && is_dense(storms.count);
  if (dense || by_place_) {
    const auto of_cells = static_cast<std::size_t>(cells);
    set_bytes(energy_.span().first(of_cells), 0);
    if (tracked) set_bytes(uncertainty_.span().first(of_cells), 0);
  }
  if (dense) {
    set_bytes(mask_.span().first(static_cast<std::size_t>(chunks_)), 0xff);
  } else {
    launch("clear", strided(std::max(storms.count, storms.storms * chunks_)), clear_kernel, storms,
           all, uncertainty);
  }
  if (storms.count > 0) {
    launch_beside("add up impacts", strided(storms.count), add_kernel, storms, dense, all,
                  uncertainty);
  }
}

SourceArray<std::int64_t> Sources::energies(const double* outside) {
  return {mask_.span().data(), by_place_ ? place_.span().data() : nullptr, energy_.span().data(),
          outside};
}

SourceArray<double> Sources::uncertainties(const double* outside) {
  return {mask_.span().data(), by_place_ ? place_.span().data() : nullptr,
          uncertainty_.span().data(), outside};
}

}  // namespace bombard::cuda
