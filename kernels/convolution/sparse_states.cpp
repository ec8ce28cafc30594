#include "kernels/convolution/sparse_states.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "kernels/base/share_out.hpp"

namespace bombard::cpu {

namespace {

// The states of one chunk among so many are kept: those of the others, when they are asked for,
// pass this many chunks again.
constexpr std::size_t chunks_between_fronts = 64;
// Another thread begins in the time that so many chunks take.
constexpr std::size_t chunks_for_threads = 500;

}  // namespace

SparseStates::SparseStates(SparseTables& tables, std::span<const SparseSource> sources,
                           std::span<const SparseChunk> chunks, std::int64_t now, int chunk_bits,
                           int threads)
    : kernels_(sweep_kernels()),
      tables_(tables),
      sources_(sources),
      chunks_(chunks),
      now_(now),
      last_cell_((std::int64_t{1} << chunk_bits) - 1),
      cells_of_chunk_(std::ldexp(1.0, chunk_bits)),
      chunk_bits_(chunk_bits) {
  tables_.source(now);  // made here, before there are threads
  const int sharing = chunks.size() > chunks_for_threads ? threads : 1;
  share_out(2, sharing, [&](const auto& each) {
    each([&](std::int64_t side) { pass(static_cast<Side>(side)); });
  });
}

SparseStates::Front SparseStates::new_front() const {
  const auto terms = static_cast<std::size_t>(tables_.terms());
  return {false, 0, AlignedDoubles(terms), AlignedDoubles(terms)};
}

/// The front moves to this chunk, without its own sources, and `far` is what serves the chunk.
/// Returns how many of its terms may be other than 0.
std::int64_t SparseStates::go_to(std::int64_t chunk, Front& front, double* far) const {
  if (!std::exchange(front.any, true)) {
    front.chunk = chunk;
    std::fill_n(far, tables_.terms(), 0.0);
    return 0;
  }
  const std::int64_t gap = std::abs(chunk - front.chunk);
  const bool adjacent = gap == 1;
  const GapStep step{.terms = tables_.terms(),
                     .live = adjacent ? tables_.terms() : tables_.live_terms(gap - 2),
                     .adjacent = adjacent,
                     .cells = static_cast<double>(gap - 2) * cells_of_chunk_,
                     .exponents = tables_.exponents(),
                     .chunk_decay = tables_.chunk_decay(),
                     .before = front.before.data(),
                     .full = front.full.data(),
                     .far = far};
  kernels_.cross_gap(step);
  front.chunk = chunk;
  return step.live;
}

void SparseStates::add_own(Side side, const SparseChunk& chunk, std::int64_t terms,
                           Front& front) const {
  const std::int64_t first_cell = chunk.number << chunk_bits_;
  for (std::int64_t i = chunk.begin; i < chunk.end; ++i) {
    const SparseSource& source = sources_[static_cast<std::size_t>(i)];
    const std::int64_t offset = source.position - first_cell;
    kernels_.add_product(source.energy,
                         tables_.within(side == from_left ? last_cell_ - offset : offset),
                         tables_.source(now_ - source.storm + 1), terms, front.full.data());
  }
}

/// Of a chunk's own sources: those terms that do not vanish in the gap behind it.
std::int64_t SparseStates::terms_needed(Side side, std::size_t i) const {
  if (i + 1 == chunks_.size()) return 0;
  const std::int64_t gap = std::abs(on_way(side, i + 1).number - on_way(side, i).number);
  return gap > 2 ? tables_.live_terms(gap - 2) : tables_.terms();
}

void SparseStates::pass(Side side) {
  ends_[side].resize(chunks_.size());
  Front front = new_front();
  AlignedDoubles far(front.full.size());
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    if (i % chunks_between_fronts == 0) fronts_[side].push_back(front);
    const SparseChunk& chunk = on_way(side, i);
    const std::int64_t live = go_to(chunk.number, front, far.data());
    if (chunk.seen.count() > 0) {
      const std::int64_t first_cell = chunk.number << chunk_bits_;
      ends_[side][side == from_left ? i : chunks_.size() - 1 - i] = {
          this->far(side, far.data(), live, chunk.seen.begin - first_cell),
          this->far(side, far.data(), live, chunk.seen.end - 1 - first_cell)};
    }
    add_own(side, chunk, terms_needed(side, i), front);
  }
}

double SparseStates::far(Side side, const double* states, std::int64_t terms,
                         std::int64_t cell_of_chunk) const {
  const std::int64_t m = side == from_left ? cell_of_chunk : last_cell_ - cell_of_chunk;
  return kernels_.sum_of_products(tables_.within(m), states, terms);
}

double SparseStates::far(const Far& states, std::int64_t cell_of_chunk) const {
  return far(from_left, states.left.data(), tables_.terms(), cell_of_chunk) +
         far(from_right, states.right.data(), tables_.terms(), cell_of_chunk);
}

auto SparseStates::states(std::int64_t number) const -> Far {
  const auto terms = static_cast<std::size_t>(tables_.terms());
  Far result{AlignedDoubles(terms), AlignedDoubles(terms)};
  const auto before = static_cast<std::size_t>(
      std::ranges::lower_bound(chunks_, number, {}, &SparseChunk::number) - chunks_.begin());
  const std::size_t to =
      before < chunks_.size() && chunks_[before].number == number ? before + 1 : before;
  for (const Side side : {from_left, from_right}) {
    // So many chunks lie on this side.
    const std::size_t passed = side == from_left ? before : chunks_.size() - to;
    if (passed == 0) continue;
    double* const far = (side == from_left ? result.left : result.right).data();
    const std::size_t block = (passed - 1) / chunks_between_fronts;
    Front front = fronts_[side][block];
    for (std::size_t i = block * chunks_between_fronts; i < passed; ++i) {
      const SparseChunk& chunk = on_way(side, i);
      go_to(chunk.number, front, far);
      add_own(side, chunk, tables_.terms(), front);
    }
    go_to(number, front, far);
  }
  return result;
}

}  // namespace bombard::cpu
