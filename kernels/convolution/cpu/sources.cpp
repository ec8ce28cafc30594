#include "kernels/convolution/cpu/sources.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "kernels/base/share_out.hpp"

namespace bombard::cpu {

namespace {

// One thread has done fewer before another has begun (few_sources in convolved_layer.cpp).
constexpr std::int64_t few_impacts = 1 << 16;

}  // namespace

SortedSources::SortedSources(std::int64_t chunks)
    : chunks_(chunks), blocks_(blocks_of(chunks)), ranges_(static_cast<std::size_t>(chunks)) {}

/// Impacts are put into blocks, then added up block by block.
void SortedSources::sort(const LayerStorm& storm, std::int64_t first, int threads) {
  const auto cells = static_cast<std::uint64_t>(chunks_ * chunk_cells);
  placed_.fill(std::ssize(storm.impacts), blocks_, threads, [=](std::int64_t i, const auto& put) {
    const Impact& impact = storm.impacts[i];
    const std::int64_t cell = impact.position - first;
    if (static_cast<std::uint64_t>(cell) >= cells) return;
    put(cell / block_cells, {static_cast<std::uint32_t>(cell % block_cells), impact.energy,
                             storm.energy_uncertainty(i)});
  });
  std::vector<std::int64_t> sources_begin(static_cast<std::size_t>(blocks_ + 1));  // room
  for (std::int64_t block = 0; block < blocks_; ++block) {
    const auto here = static_cast<std::int64_t>(placed_.items(block).size());
    sources_begin[block + 1] = sources_begin[block] + std::min(here, block_cells);
  }
  const bool with_uncertainty = storm.uncertainty.has_value();
  offsets_.at_least(sources_begin[blocks_]);
  amounts_[0].at_least(sources_begin[blocks_]);
  if (with_uncertainty) amounts_[1].at_least(sources_begin[blocks_]);
  share_out(blocks_, impacts() > few_impacts ? threads : 1, [&](const auto& each) {
    const auto most = static_cast<std::size_t>(std::min(block_cells, chunks_ * chunk_cells));
    std::vector<std::int64_t> energies(most);
    std::vector<double> uncertainties(with_uncertainty ? most : 0);
    each([&](std::int64_t block) {
      sum_block(block, sources_begin[block], energies.data(),
                with_uncertainty ? uncertainties.data() : nullptr);
    });
  });
}

/// Adds up the impacts of a block, in sums of 0 for all of its cells, which are left so, and writes
/// its sources, the first at place `next`.
void SortedSources::sum_block(std::int64_t block, std::int64_t next, std::int64_t* energies,
                              double* uncertainties) {
  std::uint64_t hit[block_chunks] = {};  // a bit for every cell that counts
  for (const auto& [cell, energy, uncertainty] : placed_.items(block)) {
    energies[cell] += energy;
    if (uncertainties != nullptr) uncertainties[cell] += uncertainty;
    hit[cell / chunk_cells] |= std::uint64_t{1} << (cell % chunk_cells);
  }
  const std::int64_t first = block * block_chunks;
  for (std::int64_t c = 0; c < std::min(block_chunks, chunks_ - first); ++c) {
    const std::int64_t range_begin = next;
    for (std::uint64_t rest = hit[c]; rest != 0; rest &= rest - 1) {
      const int offset = std::countr_zero(rest);
      const std::int64_t cell = c * chunk_cells + offset;
      offsets_[next] = static_cast<std::uint8_t>(offset);
      amounts_[0][next] = static_cast<double>(std::exchange(energies[cell], 0));
      if (uncertainties != nullptr) amounts_[1][next] = std::exchange(uncertainties[cell], 0);
      ++next;
    }
    ranges_[first + c] = {range_begin, next};
  }
}

}  // namespace bombard::cpu
