#include "kernels/convolution/sparse/sparse_states.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "kernels/base/share_out.hpp"
#include "kernels/base/stoppable_work.hpp"

namespace bombard::cpu {

namespace {

// The states of one chunk in 8 to 64 are kept. States of another chunk pass the chunks in between
// again, when they are asked for. The states of a million chunks take 36 MB so.
constexpr std::size_t fewest_between_fronts = 8, most_between_fronts = 64;
// Up to here another thread takes as long to begin as it saves, and longer on a busy machine:
// measured on two cores with 1e3 to 1e4 impacts.
constexpr std::size_t chunks_for_threads = 5000;

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

/// Where chunks are few, fronts cost little.
std::size_t SparseStates::chunks_between_fronts() const {
  return std::clamp(chunks_.size() / most_between_fronts, fewest_between_fronts,
                    most_between_fronts);
}

SparseStates::Front SparseStates::new_front() const {
  return {{}, AlignedDoubles(2 * static_cast<std::size_t>(tables_.terms()))};
}

void SparseStates::keep(const Front& front, Fronts& fronts) const {
  fronts.places.push_back(front);
  fronts.states.insert(fronts.states.end(), front.states.begin(), front.states.end());
}

SparseStates::Front SparseStates::kept(const Fronts& fronts, std::size_t number) const {
  Front front = new_front();
  static_cast<Place&>(front) = fronts.places[number];
  std::copy_n(fronts.states.data() + number * front.states.size(), front.states.size(),
              front.states.data());
  return front;
}

/// The front moves to this chunk, without its own sources, and `far` becomes the states that serve
/// the chunk. Returns their number of terms; all others are 0.
std::int64_t SparseStates::go_to(std::int64_t chunk, Front& front, double* far) const {
  if (!std::exchange(front.any, true)) {
    front.chunk = chunk;
    return 0;
  }
  const std::int64_t gap = std::abs(chunk - front.chunk);
  const bool adjacent = gap == 1;
  const std::int64_t live =
      adjacent ? front.live : std::min(front.live, tables_.live_terms(gap - 2));
  const GapStep step{.terms = front.live,
                     .live = live,
                     .adjacent = adjacent,
                     .cells = static_cast<double>(gap - 2) * cells_of_chunk_,
                     .exponents = tables_.exponents(),
                     .chunk_decay = tables_.chunk_decay(),
                     .before = front.before(),
                     .full = front.full(),
                     .far = far};
  kernels_.cross_gap(step);
  front.chunk = chunk;
  front.live = live;
  return live;
}

void SparseStates::add_own(Side side, const SparseChunk& chunk, std::int64_t terms,
                           Front& front) const {
  const std::int64_t first_cell = chunk.number << chunk_bits_;
  for (std::int64_t i = chunk.begin; i < chunk.end; ++i) {
    const SparseSource& source = sources_[static_cast<std::size_t>(i)];
    const std::int64_t offset = source.position - first_cell;
    kernels_.add_product(source.energy,
                         tables_.within(side == from_left ? last_cell_ - offset : offset),
                         tables_.source(now_ - source.storm + 1), terms, front.full());
  }
  if (chunk.begin < chunk.end) front.live = std::max(front.live, terms);
}

/// The number of terms of a chunk's own sources that do not vanish in the gap behind it.
std::int64_t SparseStates::terms_needed(Side side, std::size_t i) const {
  if (i + 1 == chunks_.size()) return 0;
  const std::int64_t gap = std::abs(on_way(side, i + 1).number - on_way(side, i).number);
  return gap > 2 ? tables_.live_terms(gap - 2) : tables_.terms();
}

void SparseStates::pass(Side side) {
  ends_[side].resize(chunks_.size());
  Front front = new_front();
  AlignedDoubles far(static_cast<std::size_t>(tables_.terms()));
  const std::size_t between = chunks_between_fronts();
  fronts_[side].states.reserve((chunks_.size() / between + 1) * front.states.size());
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    StoppableWork::may_stop_at(i);
    if (i % between == 0) keep(front, fronts_[side]);
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
  const auto from = [&](Side side, const AlignedDoubles& side_states) {
    return far(side, side_states.data(), static_cast<std::int64_t>(side_states.size()),
               cell_of_chunk);
  };
  return from(from_left, states.left) + from(from_right, states.right);
}

/// The states of the first `passed` chunks on the way, as chunk `chunk` sees them.
AlignedDoubles SparseStates::states(Side side, std::size_t passed, std::int64_t chunk) const {
  AlignedDoubles far;
  if (passed == 0) return far;
  far.resize(static_cast<std::size_t>(tables_.terms()));
  const std::size_t number = (passed - 1) / chunks_between_fronts();
  Front front = kept(fronts_[side], number);
  for (std::size_t i = number * chunks_between_fronts(); i < passed; ++i) {
    const SparseChunk& on_this_way = on_way(side, i);
    go_to(on_this_way.number, front, far.data());
    add_own(side, on_this_way, tables_.terms(), front);
  }
  far.resize(static_cast<std::size_t>(go_to(chunk, front, far.data())));
  return far;
}

auto SparseStates::states(std::int64_t number) const -> Far {
  const auto before = static_cast<std::size_t>(
      std::ranges::lower_bound(chunks_, number, {}, &SparseChunk::number) - chunks_.begin());
  const bool among = before < chunks_.size() && chunks_[before].number == number;
  return {states(from_left, before, number),
          states(from_right, chunks_.size() - before - (among ? 1 : 0), number)};
}

}  // namespace bombard::cpu
