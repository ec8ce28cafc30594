#include "kernels/convolution/sparse/sparse_states.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "kernels/base/stoppable_work.hpp"
#include "kernels/base/unit_roundoff.hpp"

namespace bombard::cpu {

namespace {

// The states of one chunk in 32 are kept. When those of another chunk are asked for, they pass the
// chunks in between again. This way the states of a million chunks take 72 MB.
constexpr std::size_t chunks_between_fronts = 32;

// A cell's own value and the bound are both off by two roundings for each near source, and by this
// number for the far ones: 5 for each of at most 140 terms, their sum and the chord.
constexpr double roundings_of_far = 2 * 1000;

// All terms of a power up to 8 whose a n is at least this, where n is the number of cells of a gap,
// are together less than 1e-17 of n^-b (docs/roundings.md, Sparse). With a range all exponents are
// larger by the same number, so that this says nothing: no term is left out.
double vanishing_from(const Attenuation& attenuation) {
  return std::isinf(attenuation.range) ? 40 + 5 * attenuation.power : INFINITY;
}

/// The highest sum of a cell's value and the chord there; 0 if none is above 0.
double highest_on(const Chord& chord, const std::vector<double>& values) {
  const auto [first, last] = chord;
  const double slope =
      values.size() > 1 ? (last - first) / static_cast<double>(values.size() - 1) : 0;
  double highest = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    highest = std::max(highest, values[k] + (first + slope * static_cast<double>(k)));
  }
  return highest;
}

}  // namespace

SparseStates::SparseStates(const RelaxedShares& shares, const Attenuation& attenuation,
                           double scale, int chunk_bits, double longest, double relative_error)
    : shares_(shares),
      sum_(exponential_sum(attenuation, chunk_cells + 2, longest, relative_error)),
      longest_(longest),
      vanishing_(vanishing_from(attenuation)),
      terms_(sum_.terms_of_row()),
      chunk_bits_(chunk_bits),
      last_cell_((std::int64_t{1} << chunk_bits) - 1) {
  const auto cells_of_chunk = static_cast<double>(last_cell_ + 1);
  within_.resize(static_cast<std::size_t>(terms_ << chunk_bits));
  for (std::int64_t m = 0; m <= last_cell_; ++m) {
    sum_.decay(static_cast<double>(m), within_.data() + m * terms_);
  }
  for (AlignedDoubles* row : {&exponents_, &chunk_decay_, &relaxation_, &source_rows_}) {
    row->resize(static_cast<std::size_t>(terms_));
  }
  sum_.decay(cells_of_chunk, chunk_decay_.data());
  for (std::size_t t = 0; t < sum_.exponents.size(); ++t) {
    const double a = sum_.exponents[t];
    exponents_[t] = a;
    relaxation_[t] = (1 + 2 * std::cosh(a)) / 3;
    source_rows_[t] = scale * sum_.weights[t] * std::exp(-a * (cells_of_chunk + 2));
  }
}

void SparseStates::sum(std::span<const SparseSource> sources, std::span<const SparseChunk> chunks,
                       std::int64_t now) {
  sources_ = sources;
  chunks_ = chunks;
  now_ = now;
  known_.chunk = -1;
  const auto terms = static_cast<std::size_t>(terms_);
  std::size_t made = source_rows_.size();
  source_rows_.resize(std::max(made, terms * static_cast<std::size_t>(now + 1)));
  for (; made < source_rows_.size(); ++made) {
    source_rows_[made] = relaxation_[made % terms] * source_rows_[made - terms];
  }
  for (const Towards side : {to_right, to_left}) pass(side);
}

/// Moves the front to this chunk, without its own sources, and sets `far` to the states that are
/// used in the chunk. Returns their number of terms; all others are 0.
std::int64_t SparseStates::go_to(std::int64_t chunk, Front& front, double* far) const {
  const std::int64_t gap = std::abs(chunk - front.chunk);
  front.chunk = chunk;
  return convolution::cross_gap({.terms = terms_,
                                 .adjacent = gap == 1,
                                 .cells = static_cast<double>((gap - 2) << chunk_bits_),
                                 .vanishing = vanishing_,
                                 .exponents = exponents_.data(),
                                 .chunk_decay = chunk_decay_.data(),
                                 .before = front.before.data(),
                                 .full = front.full.data(),
                                 .far = far});
}

void SparseStates::add_own(Towards side, const SparseChunk& chunk, Front& front) const {
  const std::int64_t first_cell = chunk.number << chunk_bits_;
  for (std::int64_t i = chunk.begin; i < chunk.end; ++i) {
    const SparseSource& source = sources_[static_cast<std::size_t>(i)];
    const std::int64_t offset = source.position - first_cell;
    convolution::add_product(source.energy, within(side == to_right ? last_cell_ - offset : offset),
                             source_row(relaxations(source)), terms_, front.full.data());
  }
}

void SparseStates::pass(Towards side) {
  ends_[side].assign(chunks_.size(), {});
  fronts_[side].clear();
  if (chunks_.empty()) return;
  std::vector<double> far(static_cast<std::size_t>(terms_));
  // Nothing comes from before the first chunk, wherever the front begins.
  Front front{.chunk = on_way(side, 0).number - 2, .before = far, .full = far};
  fronts_[side].reserve(chunks_.size() / chunks_between_fronts + 1);
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    StoppableWork::may_stop_at(i);
    if (i % chunks_between_fronts == 0) fronts_[side].push_back(front);
    const SparseChunk& chunk = on_way(side, i);
    const std::int64_t live = go_to(chunk.number, front, far.data());
    if (chunk.seen.count() > 0) {
      const std::span states = std::span(far).first(static_cast<std::size_t>(live));
      const CellRange seen = chunk.seen.counted_from(chunk.number << chunk_bits_);
      ends_[side][side == to_right ? i : chunks_.size() - 1 - i] = {
          this->far(side, states, seen.begin), this->far(side, states, seen.end - 1)};
    }
    add_own(side, chunk, front);
  }
}

double SparseStates::far(Towards side, std::span<const double> states,
                         std::int64_t cell_of_chunk) const {
  const std::int64_t m = side == to_right ? cell_of_chunk : last_cell_ - cell_of_chunk;
  return convolution::sum_of_products(within(m), states.data(), std::ssize(states));
}

/// The states of the first `passed` chunks on the way, as chunk `chunk` sees them.
std::vector<double> SparseStates::states(Towards side, std::size_t passed,
                                         std::int64_t chunk) const {
  std::vector<double> far;
  if (passed == 0) return far;
  far.resize(static_cast<std::size_t>(terms_));
  const std::size_t number = (passed - 1) / chunks_between_fronts;
  Front front = fronts_[side][number];
  for (std::size_t i = number * chunks_between_fronts; i < passed; ++i) {
    const SparseChunk& on_this_way = on_way(side, i);
    go_to(on_this_way.number, front, far.data());
    add_own(side, on_this_way, front);
  }
  far.resize(static_cast<std::size_t>(go_to(chunk, front, far.data())));
  return far;
}

/// The sources in a chunk and in its neighbours. `place` is where it is, or would be, among the
/// chunks.
std::span<const SparseSource> SparseStates::near(std::int64_t chunk, std::size_t place) const {
  const bool any_before = place > 0 && chunks_[place - 1].number == chunk - 1;
  const std::size_t first = any_before ? place - 1 : place;
  std::size_t end = place;
  while (end < chunks_.size() && chunks_[end].number <= chunk + 1) ++end;
  if (first == end) return {};
  const std::int64_t begin = chunks_[first].begin;
  return slice(sources_, {begin, chunks_[end - 1].end});
}

SparseStates::Known SparseStates::known_of(std::int64_t chunk) const {
  const auto place = static_cast<std::size_t>(
      std::ranges::lower_bound(chunks_, chunk, {}, &SparseChunk::number) - chunks_.begin());
  const bool among = place < chunks_.size() && chunks_[place].number == chunk;
  return {chunk,
          near(chunk, place),
          {states(to_right, place, chunk),
           states(to_left, chunks_.size() - place - (among ? 1 : 0), chunk)}};
}

double SparseStates::at(std::int64_t cell) {
  const std::int64_t chunk = cell >> chunk_bits_;
  if (chunk != known_.chunk) known_ = known_of(chunk);
  double near = 0, far = 0;
  for (const SparseSource& source : known_.near) {
    near +=
        source.energy * shares_.after(relaxations(source))[std::abs(cell - source.position) + 1];
  }
  for (const Towards side : {to_right, to_left}) {
    far += this->far(side, known_.far[side], cell - (chunk << chunk_bits_));
  }
  return near + far;
}

/// Far sums are convex where all their sources are far: their chord lies above them.
double SparseStates::highest(std::size_t chunk) {
  const CellRange& seen = chunks_[chunk].seen;
  const std::span<const SparseSource> sources = near(chunks_[chunk].number, chunk);
  sums_.assign(static_cast<std::size_t>(seen.count()), 0);
  for (const SparseSource& source : sources) {
    convolution::add_shares(shares_.after(relaxations(source)), source.position - seen.begin, 0,
                            seen.count(), source.energy, sums_.data());
  }
  const Chord &left = ends_[to_right][chunk], &right = ends_[to_left][chunk];
  const double roundings = roundings_of_far + 4 * static_cast<double>(sources.size());
  return highest_on({left[0] + right[0], left[1] + right[1]}, sums_) *
         (1 + roundings * unit_roundoff_binary64);
}

}  // namespace bombard::cpu
