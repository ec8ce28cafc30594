#include "kernels/convolution/cpu/sources.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

#include "kernels/base/share_out.hpp"
#include "kernels/layer/cell_deposit.hpp"

namespace bombard::cpu {

namespace {

// One thread has done fewer before another has begun (few_sources in convolved_layer.cpp).
constexpr std::int64_t few_deposits = 1 << 16;
// So many take others' time even if nothing falls on most of them.
constexpr std::int64_t many_blocks = 1 << 10;
// As many have their sums, 8 bytes each, in a core's second-level cache of 1 to 2 MiB.
constexpr std::int64_t few_cells = 1 << 17;
// And with more than one deposit to so many of them, going through all sums costs less than
// sorting.
constexpr std::int64_t cells_of_deposit = 4;

}  // namespace

/// The deposits, cut into parts, one for a thread, and where the padded layer is.
struct SortedSources::Inside {
  std::span<const Impact> all;
  const DepositUncertainty* uncertainty;  ///< nullptr: not wanted
  std::int64_t first, cells;
  std::int64_t parts;

  /// Calls work(i, cell, energy) for the deposits of one part that fall on the padded layer.
  template <class Work>
  void each(std::int64_t part, const Work& work) const {
    // Copies: work may write where the compiler cannot tell that these are not.
    const Impact* const deposits = all.data();
    const std::int64_t begin = first, size = cells;
    const auto count = static_cast<std::int64_t>(all.size());
    const std::int64_t end = (part + 1) * count / parts;
    for (std::int64_t i = part * count / parts; i < end; ++i) {
      const std::int64_t cell = deposits[i].position - begin;
      if (static_cast<std::uint64_t>(cell) < static_cast<std::uint64_t>(size)) {
        work(i, cell, deposits[i].energy);
      }
    }
  }
};

/// What falls on each cell of a block, and in each chunk a bit for every cell that counts.
struct SortedSources::Sums {
  std::int64_t* energy;
  double* uncertainty;  ///< nullptr: not wanted
  std::uint64_t* hit;   ///< [block_chunks]
};

/// Where the deposits go, block by block.
struct SortedSources::Buckets {
  std::vector<std::int64_t> place;          ///< [part][block] of the next deposit of the part
  std::vector<std::int64_t> begin;          ///< [block] and the end: where its deposits begin
  std::vector<std::int64_t> sources_begin;  ///< and room for its sources
};

SortedSources::SortedSources(std::int64_t chunks)
    : chunks_(chunks),
      blocks_(blocks_of(chunks)),
      of_chunks_(static_cast<std::size_t>(chunks)),
      filled_(static_cast<std::size_t>(blocks_)) {}

void SortedSources::sort(std::span<const Impact> deposits, std::int64_t first,
                         const DepositUncertainty* uncertainty, int threads) {
  const std::int64_t cells = chunks_ * chunk_cells;
  const auto count = static_cast<std::int64_t>(deposits.size());
  const Inside inside{.all = deposits,
                      .uncertainty = uncertainty,
                      .first = first,
                      .cells = cells,
                      .parts = std::clamp<std::int64_t>(count / few_deposits, 1, threads)};
  if (cells <= few_cells && count > cells / cells_of_deposit) {
    sum_in_parts(inside, threads);
  } else {
    sum_in_blocks(inside, threads);
  }
}

/// A small layer: each part of the deposits has sums for all cells.
void SortedSources::sum_in_parts(const Inside& inside, int threads) {
  energy_sums_.at_least(inside.parts * inside.cells);
  if (inside.uncertainty != nullptr) uncertainty_sums_.at_least(inside.parts * inside.cells);
  std::atomic<std::int64_t> deposits{0};
  share_out(inside.parts, threads, [&](const auto& each) {
    each([&](std::int64_t part) { deposits += add_part(inside, part); });
  });
  deposits_ = deposits;
  make_room(inside.cells, inside.uncertainty != nullptr);
  std::atomic<std::int64_t> sources{0};
  share_out(blocks_, inside.parts > 1 ? threads : 1, [&](const auto& each) {
    each([&](std::int64_t block) { sources += join_parts(inside, block); });
  });
  count_ = sources;
}

/// Adds up what a part of the deposits brings to all cells; returns how many fell on the layer.
std::int64_t SortedSources::add_part(const Inside& inside, std::int64_t part) {
  std::int64_t* const energy = energy_sums_.data() + part * inside.cells;
  std::fill_n(energy, inside.cells, 0);
  std::int64_t count = 0;
  if (inside.uncertainty == nullptr) {
    inside.each(part, [&](std::int64_t, std::int64_t cell, std::int32_t of_deposit) {
      energy[cell] += of_deposit;
      ++count;
    });
    return count;
  }
  double* const uncertainty = uncertainty_sums_.data() + part * inside.cells;
  std::fill_n(uncertainty, inside.cells, 0.0);
  const DepositUncertainty off = *inside.uncertainty;
  inside.each(part, [&](std::int64_t i, std::int64_t cell, std::int32_t of_deposit) {
    energy[cell] += of_deposit;
    uncertainty[cell] += source_uncertainty(off, i, of_deposit);
    ++count;
  });
  return count;
}

/// Adds what all parts bring to a block, and writes its sources; returns how many.
std::int64_t SortedSources::join_parts(const Inside& inside, std::int64_t block) {
  const bool with_uncertainty = inside.uncertainty != nullptr;
  const std::int64_t begin = block * block_cells;
  const std::int64_t end = std::min(begin + block_cells, inside.cells);
  std::uint64_t hit[block_chunks] = {};
  const Sums sums{.energy = energy_sums_.data() + begin,
                  .uncertainty = with_uncertainty ? uncertainty_sums_.data() + begin : nullptr,
                  .hit = hit};
  for (std::int64_t i = 0; i < end - begin; ++i) {
    for (std::int64_t part = 1; part < inside.parts; ++part) {
      sums.energy[i] += sums.energy[part * inside.cells + i];
      if (with_uncertainty) sums.uncertainty[i] += sums.uncertainty[part * inside.cells + i];
    }
    const bool counts = sums.energy[i] != 0 || (with_uncertainty && sums.uncertainty[i] != 0);
    hit[i / chunk_cells] |= std::uint64_t{counts} << (i % chunk_cells);
  }
  return write_block(block, sums, begin);
}

/// Any layer: deposits are put into blocks, then added up block by block.
void SortedSources::sum_in_blocks(const Inside& inside, int threads) {
  Buckets buckets = count_in_blocks(inside, threads);
  deposits_ = buckets.begin[blocks_];
  place_in_blocks(inside, buckets, threads);

  const bool with_uncertainty = inside.uncertainty != nullptr;
  make_room(buckets.sources_begin[blocks_], with_uncertainty);
  std::atomic<std::int64_t> sources{0};
  const int sharing = deposits_ > few_deposits || blocks_ > many_blocks ? threads : 1;
  share_out(blocks_, sharing, [&](const auto& each) {
    const auto most = static_cast<std::size_t>(std::min(block_cells, inside.cells));
    std::vector<std::int64_t> energy(most);
    std::vector<double> uncertainty(with_uncertainty ? most : 0);
    std::int64_t own = 0;
    each([&](std::int64_t block) {
      if (buckets.begin[block] == buckets.begin[block + 1] && !filled_[block]) return;
      std::uint64_t hit[block_chunks] = {};
      own += sum_block(buckets, block,
                       {.energy = energy.data(),
                        .uncertainty = with_uncertainty ? uncertainty.data() : nullptr,
                        .hit = hit});
    });
    sources += own;
  });
  count_ = sources;
}

SortedSources::Buckets SortedSources::count_in_blocks(const Inside& inside, int threads) const {
  Buckets buckets{.place = std::vector<std::int64_t>(inside.parts * blocks_),
                  .begin = std::vector<std::int64_t>(blocks_ + 1),
                  .sources_begin = std::vector<std::int64_t>(blocks_ + 1)};
  share_out(inside.parts, threads, [&](const auto& each) {
    each([&](std::int64_t part) {
      std::int64_t* const in_block = buckets.place.data() + part * blocks_;
      inside.each(part, [&](std::int64_t, std::int64_t cell, std::int32_t) {
        ++in_block[cell / block_cells];
      });
    });
  });
  for (std::int64_t block = 0; block < blocks_; ++block) {
    std::int64_t end = buckets.begin[block];
    for (std::int64_t part = 0; part < inside.parts; ++part) {
      const std::int64_t here = std::exchange(buckets.place[part * blocks_ + block], end);
      end += here;
    }
    buckets.begin[block + 1] = end;
    buckets.sources_begin[block + 1] =
        buckets.sources_begin[block] + std::min(end - buckets.begin[block], block_cells);
  }
  return buckets;
}

void SortedSources::place_in_blocks(const Inside& inside, Buckets& buckets, int threads) {
  placed_.at_least(deposits_);
  if (inside.uncertainty != nullptr) placed_uncertainties_.at_least(deposits_);
  share_out(inside.parts, threads, [&](const auto& each) {
    each([&](std::int64_t part) {
      std::int64_t* const next = buckets.place.data() + part * blocks_;
      CellDeposit* const placed = placed_.data();
      float* const uncertainties = placed_uncertainties_.data();
      const bool with_uncertainty = inside.uncertainty != nullptr;
      const DepositUncertainty off = with_uncertainty ? *inside.uncertainty : DepositUncertainty{};
      inside.each(part, [&](std::int64_t i, std::int64_t cell, std::int32_t energy) {
        const std::int64_t to = next[cell / block_cells]++;
        placed[to] = {static_cast<std::uint32_t>(cell % block_cells), energy};
        if (with_uncertainty) uncertainties[to] = source_uncertainty(off, i, energy);
      });
    });
  });
}

/// Adds up the deposits of a block, and writes its sources; returns how many.
std::int64_t SortedSources::sum_block(const Buckets& buckets, std::int64_t block,
                                      const Sums& sums) {
  const CellDeposit* const placed = placed_.data();
  for (std::int64_t i = buckets.begin[block]; i < buckets.begin[block + 1]; ++i) {
    const std::uint32_t cell = placed[i].cell;
    sums.energy[cell] += placed[i].energy;
    if (sums.uncertainty != nullptr) sums.uncertainty[cell] += placed_uncertainties_[i];
    sums.hit[cell / chunk_cells] |= std::uint64_t{1} << (cell % chunk_cells);
  }
  return write_block(block, sums, buckets.sources_begin[block]);
}

void SortedSources::make_room(std::int64_t sources, bool with_uncertainty) {
  offsets_.at_least(sources);
  energies_.at_least(sources);
  if (with_uncertainty) uncertainties_.at_least(sources);
}

/// Writes the sources of a block, the first at place `begin`, and leaves sums of 0; returns how
/// many.
std::int64_t SortedSources::write_block(std::int64_t block, const Sums& sums, std::int64_t begin) {
  std::int64_t next = begin;
  const std::int64_t first = block * block_chunks;
  for (std::int64_t c = 0; c < std::min(block_chunks, chunks_ - first); ++c) {
    const std::int64_t of_chunk = next;
    for (std::uint64_t rest = sums.hit[c]; rest != 0; rest &= rest - 1) {
      const int offset = std::countr_zero(rest);
      const std::int64_t cell = c * chunk_cells + offset;
      offsets_.data()[next] = static_cast<std::uint8_t>(offset);
      energies_.data()[next] = static_cast<double>(std::exchange(sums.energy[cell], 0));
      if (sums.uncertainty != nullptr) {
        uncertainties_.data()[next] = std::exchange(sums.uncertainty[cell], 0);
      }
      ++next;
    }
    of_chunks_[first + c] = {of_chunk, next};
  }
  filled_[block] = next > begin;
  return next - begin;
}

}  // namespace bombard::cpu
