#include "kernels/convolution/cpu/sources.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "kernels/base/share_out.hpp"

namespace bombard::cpu {

namespace {

// One thread finishes fewer chunks, or impacts that take as long, before another has started.
constexpr std::int64_t few_chunks = 1 << 14, chunks_for_an_impact = 4;

}  // namespace

SortedSources::SortedSources(std::int64_t chunks, std::int64_t block_chunks)
    : chunks_(chunks),
      block_chunks_(block_chunks),
      blocks_((chunks + block_chunks - 1) / block_chunks),
      ranges_(chunks),
      placed_begin_(static_cast<std::size_t>(blocks_ + 1)) {}

/// Puts the impacts into blocks: parts of the storm first count them, then place them. Nothing
/// depends on the number of parts.
void SortedSources::place(const LayerStorm& storm, std::int64_t first, int threads) {
  constexpr std::int64_t few = 1 << 11;  // they are done before another thread has started
  const std::int64_t count = std::ssize(storm.impacts);
  const std::int64_t parts = std::clamp<std::int64_t>(count / few, 1, threads);
  std::vector<std::int64_t> next(static_cast<std::size_t>(parts * blocks_));  // [part][block]
  const auto each_impact = [&](const auto& use) {
    share_out(parts, threads, [&](const auto& each) {
      each([&](std::int64_t part) {
        // Copies, so that the compiler sees that use() does not change them.
        const auto own_use = use;
        const std::int64_t origin = first, end = (part + 1) * count / parts;
        const auto cells = static_cast<std::uint64_t>(chunks_ * chunk_cells);
        const int bits = std::countr_zero(static_cast<std::uint64_t>(block_chunks_ * chunk_cells));
        std::int64_t* const of_part = next.data() + part * blocks_;
        for (std::int64_t i = part * count / parts; i < end; ++i) {
          const std::int64_t cell = storm.impacts[i].position - origin;
          if (static_cast<std::uint64_t>(cell) < cells) own_use(i, cell, of_part[cell >> bits]);
        }
      });
    });
  };
  each_impact([](std::int64_t, std::int64_t, std::int64_t& counted) { ++counted; });
  for (std::int64_t block = 0; block < blocks_; ++block) {
    std::int64_t end = placed_begin_[block];
    for (std::int64_t part = 0; part < parts; ++part) {
      end += std::exchange(next[part * blocks_ + block], end);
    }
    placed_begin_[block + 1] = end;
  }
  placed_.at_least(impacts());
  each_impact([=, placed = placed_.data(), mask = block_chunks_ * chunk_cells - 1](
                  std::int64_t i, std::int64_t cell, std::int64_t& place) {
    placed[place++] = {static_cast<std::uint32_t>(cell & mask), storm.impacts[i].energy,
                       storm.energy_uncertainty(i)};
  });
}

void SortedSources::sort(const LayerStorm& storm, std::int64_t first, int threads) {
  place(storm, first, threads);
  const std::int64_t block_cells = block_chunks_ * chunk_cells;
  std::vector<std::int64_t> sources_begin(static_cast<std::size_t>(blocks_ + 1));  // room
  for (std::int64_t block = 0; block < blocks_; ++block) {
    const std::int64_t here = placed_begin_[block + 1] - placed_begin_[block];
    sources_begin[block + 1] = sources_begin[block] + std::min(here, block_cells);
  }
  const bool with_uncertainty = storm.uncertainty.has_value();
  offsets_.at_least(sources_begin[blocks_]);
  amounts_[0].at_least(sources_begin[blocks_]);
  if (with_uncertainty) amounts_[1].at_least(sources_begin[blocks_]);
  const bool few = chunks_ + chunks_for_an_impact * impacts() < few_chunks;
  share_out(blocks_, few ? 1 : threads, [&](const auto& each) {
    const auto most = static_cast<std::size_t>(std::min(block_cells, chunks_ * chunk_cells));
    std::vector<std::int64_t> energies(most);
    std::vector<double> uncertainties(with_uncertainty ? most : 0);
    each([&](std::int64_t block) {
      sum_block(block, sources_begin[block], energies.data(),
                with_uncertainty ? uncertainties.data() : nullptr);
    });
  });
}

/// Adds up the impacts of a block and writes its sources, the first at place `next`. It uses a sum
/// for each of the block's cells; all of these are 0 before and after.
void SortedSources::sum_block(std::int64_t block, std::int64_t next, std::int64_t* energies,
                              double* uncertainties) {
  std::uint64_t hit[most_block_chunks] = {};  // a bit for every cell that is hit
  for (std::int64_t i = placed_begin_[block]; i < placed_begin_[block + 1]; ++i) {
    const auto& [cell, energy, uncertainty] = placed_[i];
    energies[cell] += energy;
    if (uncertainties != nullptr) uncertainties[cell] += uncertainty;
    hit[cell / chunk_cells] |= std::uint64_t{1} << (cell % chunk_cells);
  }
  const std::int64_t first = block * block_chunks_;
  for (std::int64_t c = 0; c < std::min(block_chunks_, chunks_ - first); ++c) {
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
