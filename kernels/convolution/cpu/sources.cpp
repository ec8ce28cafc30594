#include "kernels/convolution/cpu/sources.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

#include "kernels/base/share_out.hpp"
#include "kernels/convolution/cpu/cell_deposit.hpp"

namespace bombard::cpu {

namespace {

// One thread has done fewer before another has begun (few_sources in convolved_layer.cpp).
constexpr std::int64_t few_impacts = 1 << 16;
// This number of blocks takes time even if nothing falls on most of them.
constexpr std::int64_t many_blocks = 1 << 10;

}  // namespace

/// The impacts, cut into parts, one for a thread, and where the padded layer is.
struct SortedSources::Inside {
  const LayerStorm& storm;
  std::int64_t first, cells;
  std::int64_t parts;

  bool with_uncertainty() const { return storm.uncertainty.has_value(); }

  /// Calls work(i, cell, energy) for the impacts of one part that fall on the padded layer.
  template <class Work>
  void each(std::int64_t part, const Work& work) const {
    // Copies: work may write where the compiler cannot tell that these are not.
    const Impact* const impacts = storm.impacts.data();
    const std::int64_t begin = first, size = cells;
    const auto count = static_cast<std::int64_t>(storm.impacts.size());
    const std::int64_t end = (part + 1) * count / parts;
    for (std::int64_t i = part * count / parts; i < end; ++i) {
      const std::int64_t cell = impacts[i].position - begin;
      if (static_cast<std::uint64_t>(cell) < static_cast<std::uint64_t>(size)) {
        work(i, cell, impacts[i].energy);
      }
    }
  }
};

/// The sum of the impacts on each cell of a block, and in each chunk a bit for every cell that
/// counts.
struct SortedSources::Sums {
  std::int64_t* energy;
  double* uncertainty;  ///< nullptr: not wanted
  std::uint64_t* hit;   ///< [block_chunks]
};

SortedSources::SortedSources(std::int64_t chunks)
    : chunks_(chunks),
      blocks_(blocks_of(chunks)),
      ranges_(static_cast<std::size_t>(chunks)),
      filled_(static_cast<std::size_t>(blocks_)) {}

/// Impacts are put into blocks, then added up block by block.
void SortedSources::sort(const LayerStorm& storm, std::int64_t first, int threads) {
  const auto count = static_cast<std::int64_t>(storm.impacts.size());
  const Inside inside{.storm = storm,
                      .first = first,
                      .cells = chunks_ * chunk_cells,
                      .parts = std::clamp<std::int64_t>(count / few_impacts, 1, threads)};
  put_in_blocks(inside, threads);
  impacts_ = placed_.size();
  std::vector<std::int64_t> sources_begin(static_cast<std::size_t>(blocks_ + 1));  // room
  for (std::int64_t block = 0; block < blocks_; ++block) {
    const auto here = static_cast<std::int64_t>(placed_.items(block).size());
    sources_begin[block + 1] = sources_begin[block] + std::min(here, block_cells);
  }
  const bool with_uncertainty = inside.with_uncertainty();
  make_room(sources_begin[blocks_], with_uncertainty);
  std::atomic<std::int64_t> sources{0};
  const int sharing = impacts_ > few_impacts || blocks_ > many_blocks ? threads : 1;
  share_out(blocks_, sharing, [&](const auto& each) {
    const auto most = static_cast<std::size_t>(std::min(block_cells, inside.cells));
    std::vector<std::int64_t> energy(most);
    std::vector<double> uncertainty(with_uncertainty ? most : 0);
    std::int64_t own = 0;
    each([&](std::int64_t block) {
      if (placed_.items(block).empty() && !filled_[block]) return;
      std::uint64_t hit[block_chunks] = {};
      own += sum_block(block,
                       {.energy = energy.data(),
                        .uncertainty = with_uncertainty ? uncertainty.data() : nullptr,
                        .hit = hit},
                       sources_begin[block]);
    });
    sources += own;
  });
  count_ = sources;
}

void SortedSources::put_in_blocks(const Inside& inside, int threads) {
  placed_.begin(inside.parts, blocks_);
  share_out(inside.parts, threads, [&](const auto& each) {
    each([&](std::int64_t part) {
      inside.each(part,
                  [in_blocks = placed_.part(part)](std::int64_t, std::int64_t cell, std::int32_t) {
                    in_blocks.count(cell / block_cells);
                  });
    });
  });
  placed_.end_counting();
  if (inside.with_uncertainty()) placed_uncertainties_.at_least(placed_.size());
  float* const uncertainties = inside.with_uncertainty() ? placed_uncertainties_.data() : nullptr;
  share_out(inside.parts, threads, [&](const auto& each) {
    each([&](std::int64_t part) {
      inside.each(part, [&inside, uncertainties, in_blocks = placed_.part(part)](
                            std::int64_t i, std::int64_t cell, std::int32_t energy) {
        const auto cell_in_block = static_cast<std::uint32_t>(cell % block_cells);
        const std::int64_t place = in_blocks.put(cell / block_cells, {cell_in_block, energy});
        if (uncertainties != nullptr) uncertainties[place] = inside.storm.energy_uncertainty(i);
      });
    });
  });
}

/// Adds up the impacts of a block, and writes its sources; returns how many.
std::int64_t SortedSources::sum_block(std::int64_t block, const Sums& sums, std::int64_t begin) {
  std::int64_t place = placed_.items_begin(block);
  for (const auto& [cell, energy] : placed_.items(block)) {
    sums.energy[cell] += energy;
    if (sums.uncertainty != nullptr) sums.uncertainty[cell] += placed_uncertainties_[place++];
    sums.hit[cell / chunk_cells] |= std::uint64_t{1} << (cell % chunk_cells);
  }
  return write_block(block, sums, begin);
}

void SortedSources::make_room(std::int64_t sources, bool with_uncertainty) {
  offsets_.at_least(sources);
  for (int f = 0; f < (with_uncertainty ? 2 : 1); ++f) amounts_[f].at_least(sources);
}

/// Writes the sources of a block, the first at place `begin`, and leaves sums of 0; returns how
/// many.
std::int64_t SortedSources::write_block(std::int64_t block, const Sums& sums, std::int64_t begin) {
  std::int64_t next = begin;
  const std::int64_t first = block * block_chunks;
  for (std::int64_t c = 0; c < std::min(block_chunks, chunks_ - first); ++c) {
    const std::int64_t range_begin = next;
    for (std::uint64_t rest = sums.hit[c]; rest != 0; rest &= rest - 1) {
      const int offset = std::countr_zero(rest);
      const std::int64_t cell = c * chunk_cells + offset;
      offsets_[next] = static_cast<std::uint8_t>(offset);
      amounts_[0][next] = static_cast<double>(std::exchange(sums.energy[cell], 0));
      if (sums.uncertainty != nullptr) {
        amounts_[1][next] = std::exchange(sums.uncertainty[cell], 0);
      }
      ++next;
    }
    ranges_[first + c] = {range_begin, next};
  }
  filled_[block] = next > begin;
  return next - begin;
}

}  // namespace bombard::cpu
