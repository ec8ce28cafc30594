#include "kernels/convolution/sources.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

#include "kernels/base/share_out.hpp"

namespace bombard::cpu {

namespace {

// Less work is done before other threads have begun.
constexpr std::int64_t few_deposits = 1 << 16;
// So many take others' time even if nothing falls on most of them.
constexpr std::int64_t many_blocks = 1 << 10;
// As many have their sums in a core's second-level cache.
constexpr std::int64_t few_cells = 1 << 17;

/// Calls work(i, cell) for the deposits of one part that fall on the padded layer.
template <class Work>
void each_inside(std::span<const Deposit> deposits, std::int64_t part, std::int64_t parts,
                 std::int64_t first, std::int64_t cells, const Work& work) {
  const auto count = static_cast<std::int64_t>(deposits.size());
  for (std::int64_t i = part * count / parts; i < (part + 1) * count / parts; ++i) {
    const std::int64_t cell = deposits[i].position - first;
    if (static_cast<std::uint64_t>(cell) < static_cast<std::uint64_t>(cells)) work(i, cell);
  }
}

}  // namespace

/// What falls on each cell of a block, and in each chunk a bit for every cell that counts.
struct SortedSources::Sums {
  std::int64_t* energy;
  double* uncertainty;  ///< nullptr: not wanted
  std::uint64_t hit[block_chunks];
};

SortedSources::SortedSources(std::int64_t chunks)
    : chunks_(chunks),
      blocks_((chunks + block_chunks - 1) / block_chunks),
      of_chunks_(static_cast<std::size_t>(chunks)),
      filled_(static_cast<std::size_t>(blocks_)) {}

void SortedSources::sort(std::span<const Deposit> deposits, std::int64_t first,
                         bool with_uncertainty, int threads) {
  const std::int64_t cells = chunks_ * chunk_cells;
  if (cells <= few_cells && static_cast<std::int64_t>(deposits.size()) > cells / 4) {
    sum_in_parts(deposits, first, with_uncertainty, threads);
  } else {
    sum_in_blocks(deposits, first, with_uncertainty, threads);
  }
}

/// A small layer: each part of the deposits has sums for all cells.
void SortedSources::sum_in_parts(std::span<const Deposit> deposits, std::int64_t first,
                                 bool with_uncertainty, int threads) {
  const std::int64_t cells = chunks_ * chunk_cells;
  const auto count = static_cast<std::int64_t>(deposits.size());
  const std::int64_t parts = std::clamp<std::int64_t>(count / few_deposits, 1, threads);
  energy_sums_.at_least(parts * cells);
  if (with_uncertainty) uncertainty_sums_.at_least(parts * cells);
  std::atomic<std::int64_t> inside{0};
  share_out(parts, threads, [&](const auto& each) {
    each([&](std::int64_t part) {
      std::int64_t* const energy = energy_sums_.data() + part * cells;
      double* const uncertainty =
          with_uncertainty ? uncertainty_sums_.data() + part * cells : nullptr;
      std::fill_n(energy, cells, 0);
      if (with_uncertainty) std::fill_n(uncertainty, cells, 0);
      std::int64_t own = 0;
      each_inside(deposits, part, parts, first, cells, [&](std::int64_t i, std::int64_t cell) {
        energy[cell] += deposits[i].energy;
        if (with_uncertainty) uncertainty[cell] += deposits[i].uncertainty;
        ++own;
      });
      inside += own;
    });
  });
  deposits_ = inside;
  make_room(cells, with_uncertainty);
  std::atomic<std::int64_t> sources{0};
  share_out(blocks_, parts > 1 ? threads : 1, [&](const auto& each) {
    each([&](std::int64_t block) {
      const std::int64_t begin = block * block_cells;
      const std::int64_t end = std::min(begin + block_cells, cells);
      Sums sums{.energy = energy_sums_.data() + begin,
                .uncertainty = with_uncertainty ? uncertainty_sums_.data() + begin : nullptr,
                .hit = {}};
      for (std::int64_t i = 0; i < end - begin; ++i) {
        for (std::int64_t part = 1; part < parts; ++part) {
          sums.energy[i] += sums.energy[part * cells + i];
          if (with_uncertainty) sums.uncertainty[i] += sums.uncertainty[part * cells + i];
        }
        const bool counts = sums.energy[i] != 0 || (with_uncertainty && sums.uncertainty[i] != 0);
        sums.hit[i / chunk_cells] |= std::uint64_t{counts} << (i % chunk_cells);
      }
      sources += write_block(block, sums, begin);
    });
  });
  count_ = sources;
}

/// Any layer: deposits are put into blocks, then added up block by block.
void SortedSources::sum_in_blocks(std::span<const Deposit> deposits, std::int64_t first,
                                  bool with_uncertainty, int threads) {
  const std::int64_t cells = chunks_ * chunk_cells;
  const auto count = static_cast<std::int64_t>(deposits.size());
  const std::int64_t parts = std::clamp<std::int64_t>(count / few_deposits, 1, threads);

  // Where every part of the deposits puts those of every block.
  std::vector<std::int64_t> place(static_cast<std::size_t>(parts * blocks_));
  share_out(parts, threads, [&](const auto& each) {
    each([&](std::int64_t part) {
      std::int64_t* const in_block = place.data() + part * blocks_;
      each_inside(deposits, part, parts, first, cells,
                  [&](std::int64_t, std::int64_t cell) { ++in_block[cell / block_cells]; });
    });
  });
  // And where each block's deposits begin, and its sources.
  std::vector<std::int64_t> begin(static_cast<std::size_t>(blocks_ + 1)), sources_begin(begin);
  for (std::int64_t block = 0; block < blocks_; ++block) {
    begin[block + 1] = begin[block];
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t here = place[part * blocks_ + block];
      place[part * blocks_ + block] = begin[block + 1];
      begin[block + 1] += here;
    }
    sources_begin[block + 1] =
        sources_begin[block] + std::min(begin[block + 1] - begin[block], block_cells);
  }
  deposits_ = begin[blocks_];

  placed_.at_least(deposits_);
  if (with_uncertainty) placed_uncertainties_.at_least(deposits_);
  share_out(parts, threads, [&](const auto& each) {
    each([&](std::int64_t part) {
      std::int64_t* const next = place.data() + part * blocks_;
      CellDeposit* const placed = placed_.data();
      float* const uncertainties = placed_uncertainties_.data();
      each_inside(deposits, part, parts, first, cells, [&](std::int64_t i, std::int64_t cell) {
        const std::int64_t to = next[cell / block_cells]++;
        placed[to] = {static_cast<std::uint32_t>(cell % block_cells), deposits[i].energy};
        if (with_uncertainty) uncertainties[to] = deposits[i].uncertainty;
      });
    });
  });

  make_room(sources_begin[blocks_], with_uncertainty);
  std::atomic<std::int64_t> sources{0};
  const int sharing = deposits_ > few_deposits || blocks_ > many_blocks ? threads : 1;
  share_out(blocks_, sharing, [&](const auto& each) {
    const auto most = static_cast<std::size_t>(std::min(block_cells, cells));
    std::vector<std::int64_t> energy(most);
    std::vector<double> uncertainty(with_uncertainty ? most : 0);
    std::int64_t own = 0;
    each([&](std::int64_t block) {
      if (begin[block] == begin[block + 1] && !filled_[block]) return;
      Sums sums{.energy = energy.data(),
                .uncertainty = with_uncertainty ? uncertainty.data() : nullptr,
                .hit = {}};
      for (std::int64_t i = begin[block]; i < begin[block + 1]; ++i) {
        const std::uint32_t cell = placed_.data()[i].cell;
        sums.energy[cell] += placed_.data()[i].energy;
        if (with_uncertainty) sums.uncertainty[cell] += placed_uncertainties_.data()[i];
        sums.hit[cell / chunk_cells] |= std::uint64_t{1} << (cell % chunk_cells);
      }
      own += write_block(block, sums, sources_begin[block]);
    });
    sources += own;
  });
  count_ = sources;
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
