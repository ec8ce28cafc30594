#include "kernels/convolution/sparse/sparse_states.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "kernels/base/stoppable_work.hpp"

namespace bombard::cpu {

namespace {

// The states of one chunk in 32 are kept. States of another chunk pass the chunks in between again,
// when they are asked for. The states of a million chunks take 72 MB so.
constexpr std::size_t chunks_between_fronts = 32;

}  // namespace

SparseStates::SparseStates(SparseTables& tables, std::span<const SparseSource> sources,
                           std::span<const SparseChunk> chunks, std::int64_t now, int chunk_bits)
    : kernels_(sweep_kernels()),
      tables_(tables),
      sources_(sources),
      chunks_(chunks),
      now_(now),
      last_cell_((std::int64_t{1} << chunk_bits) - 1),
      chunk_bits_(chunk_bits) {
  for (const Towards side : {to_right, to_left}) pass(side);
}

/// The terms that do not vanish on the way to a chunk `gap` chunks away.
std::int64_t SparseStates::live_terms(std::int64_t gap) const {
  return tables_.live_terms(std::max<std::int64_t>(gap - 2, 0) << chunk_bits_);
}

/// The front moves to this chunk, without its own sources, and `far` becomes the states that serve
/// the chunk. Returns their number of terms; all others are 0.
std::int64_t SparseStates::go_to(std::int64_t chunk, Front& front, double* far) const {
  if (!std::exchange(front.any, true)) {
    front.chunk = chunk;
    return 0;
  }
  const std::int64_t gap = std::abs(chunk - front.chunk);
  const std::int64_t live = std::min(front.live, live_terms(gap));
  const GapStep step{.terms = front.live,
                     .live = live,
                     .adjacent = gap == 1,
                     .cells = static_cast<double>((gap - 2) << chunk_bits_),
                     .exponents = tables_.exponents(),
                     .chunk_decay = tables_.chunk_decay(),
                     .before = front.before.data(),
                     .full = front.full.data(),
                     .far = far};
  kernels_.cross_gap(step);
  front.chunk = chunk;
  front.live = live;
  return live;
}

void SparseStates::add_own(Towards side, const SparseChunk& chunk, std::int64_t terms,
                           Front& front) const {
  const std::int64_t first_cell = chunk.number << chunk_bits_;
  for (std::int64_t i = chunk.begin; i < chunk.end; ++i) {
    const SparseSource& source = sources_[static_cast<std::size_t>(i)];
    const std::int64_t offset = source.position - first_cell;
    kernels_.add_product(source.energy,
                         tables_.within(side == to_right ? last_cell_ - offset : offset),
                         tables_.source(now_ - source.storm + 1), terms, front.full.data());
  }
  if (chunk.begin < chunk.end) front.live = std::max(front.live, terms);
}

void SparseStates::pass(Towards side) {
  ends_[side].resize(chunks_.size());
  const auto terms = static_cast<std::size_t>(tables_.terms());
  Front front{.before = AlignedDoubles(terms), .full = AlignedDoubles(terms)};
  AlignedDoubles far(terms);
  fronts_[side].reserve(chunks_.size() / chunks_between_fronts + 1);
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    StoppableWork::may_stop_at(i);
    if (i % chunks_between_fronts == 0) fronts_[side].push_back(front);
    const SparseChunk& chunk = on_way(side, i);
    const std::int64_t live = go_to(chunk.number, front, far.data());
    if (chunk.seen.count() > 0) {
      const std::int64_t first_cell = chunk.number << chunk_bits_;
      ends_[side][side == to_right ? i : chunks_.size() - 1 - i] = {
          this->far(side, far.data(), live, chunk.seen.begin - first_cell),
          this->far(side, far.data(), live, chunk.seen.end - 1 - first_cell)};
    }
    if (i + 1 == chunks_.size()) break;
    const std::int64_t gap = std::abs(on_way(side, i + 1).number - chunk.number);
    add_own(side, chunk, live_terms(gap), front);
  }
}

double SparseStates::far(Towards side, const double* states, std::int64_t terms,
                         std::int64_t cell_of_chunk) const {
  const std::int64_t m = side == to_right ? cell_of_chunk : last_cell_ - cell_of_chunk;
  return kernels_.sum_of_products(tables_.within(m), states, terms);
}

double SparseStates::far(const Far& states, std::int64_t cell_of_chunk) const {
  double sum = 0;
  for (const Towards side : {to_right, to_left}) {
    sum += far(side, states[side].data(), std::ssize(states[side]), cell_of_chunk);
  }
  return sum;
}

/// The states of the first `passed` chunks on the way, as chunk `chunk` sees them.
AlignedDoubles SparseStates::states(Towards side, std::size_t passed, std::int64_t chunk) const {
  AlignedDoubles far;
  if (passed == 0) return far;
  far.resize(static_cast<std::size_t>(tables_.terms()));
  const std::size_t number = (passed - 1) / chunks_between_fronts;
  Front front = fronts_[side][number];
  for (std::size_t i = number * chunks_between_fronts; i < passed; ++i) {
    const SparseChunk& on_this_way = on_way(side, i);
    go_to(on_this_way.number, front, far.data());
    add_own(side, on_this_way, tables_.terms(), front);
  }
  far.resize(static_cast<std::size_t>(go_to(chunk, front, far.data())));
  return far;
}

SparseStates::Far SparseStates::states(std::int64_t number) const {
  const auto before = static_cast<std::size_t>(
      std::ranges::lower_bound(chunks_, number, {}, &SparseChunk::number) - chunks_.begin());
  const bool among = before < chunks_.size() && chunks_[before].number == number;
  return {states(to_right, before, number),
          states(to_left, chunks_.size() - before - (among ? 1 : 0), number)};
}

}  // namespace bombard::cpu
