#include "kernels/convolution/sparse/sparse_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "kernels/base/stoppable_work.hpp"
#include "kernels/base/unit_roundoff.hpp"
#include "kernels/convolution/cpu/sweep.hpp"

namespace bombard::cpu {

namespace {

// A cell's own value and the bound are both off by two roundings for each near source, and by this
// number for the far ones: 5 for each of at most 140 terms, their sum and the chord.
constexpr double roundings_of_far = 2 * 1000;

// A value by states takes as long, in shares that RelaxedShares::at() takes.
constexpr std::int64_t shares_of_states = 20;

}  // namespace

SparseSums::SparseSums(SparseTables* tables, const SharesOneByOne* one_by_one,
                       const RelaxedShares& shares, const std::vector<SparseSource>& sources,
                       std::vector<SparseChunk> chunks, std::int64_t now, int chunk_bits)
    : one_by_one_(one_by_one),
      shares_(shares),
      sources_(sources),
      chunks_(std::move(chunks)),
      now_(now),
      chunk_bits_(chunk_bits) {
  if (one_by_one == nullptr) {
    states_.emplace(*tables, sources_, chunks_, now, chunk_bits);
  }
  std::vector<double> near;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    StoppableWork::may_stop_at(i);
    const CellRange& seen = chunks_[i].seen;
    if (seen.count() <= 0) continue;
    groups_.push_back({seen, states_ ? highest_of(i, near) : one_by_one->highest(seen)});
  }
}

/// Near are the sources of a chunk and of the chunks beside it.
SparseSums::Known SparseSums::known_of(std::int64_t chunk) const {
  Known known{};
  known.values.assign(std::size_t{1} << chunk_bits_, std::numeric_limits<double>::quiet_NaN());
  if (!states_) return known;
  const auto index = [&](std::int64_t first_chunk) {
    const auto at =
        std::ranges::lower_bound(sources_, first_chunk << chunk_bits_, {}, &SparseSource::position);
    return static_cast<std::int64_t>(at - sources_.begin());
  };
  known.begin = index(chunk - 1);
  known.end = index(chunk + 2);
  known.far = states_->states(chunk);
  return known;
}

/// Far sums are convex where all their sources are far: their chord lies above them.
double SparseSums::highest_of(std::size_t chunk, std::vector<double>& near) const {
  const auto& [number, own_begin, own_end, seen] = chunks_[chunk];
  // Its neighbours among the chunks have the near sources, if they are beside it.
  std::int64_t begin = own_begin, end = own_end;
  if (chunk > 0 && chunks_[chunk - 1].number == number - 1) begin = chunks_[chunk - 1].begin;
  if (chunk + 1 < chunks_.size() && chunks_[chunk + 1].number == number + 1) {
    end = chunks_[chunk + 1].end;
  }
  near.assign(static_cast<std::size_t>(seen.count()), 0.0);
  for (std::int64_t i = begin; i < end; ++i) {
    const SparseSource& source = sources_[static_cast<std::size_t>(i)];
    sweep_kernels().add_shares(shares_.after(now_ - source.storm + 1), source.position - seen.begin,
                               0, seen.count(), source.energy, near.data());
  }
  const double roundings = roundings_of_far + 4 * static_cast<double>(end - begin);
  return highest_on(states_->far(chunk), near) * (1 + roundings * unit_roundoff_binary64);
}

double SparseSums::value(const Known& known, std::int64_t cell) const {
  if (!states_) return one_by_one_->at(cell);
  shares_.count(shares_of_states + (known.end - known.begin) / tabulated_for_a_share);
  double near = 0;
  for (std::int64_t i = known.begin; i < known.end; ++i) {
    const SparseSource& source = sources_[static_cast<std::size_t>(i)];
    near += source.energy *
            shares_.after(now_ - source.storm + 1)[std::abs(cell - source.position) + 1];
  }
  const std::int64_t first_cell = cell >> chunk_bits_ << chunk_bits_;
  return near + states_->far(known.far, cell - first_cell);
}

double SparseSums::at(std::int64_t cell) {
  const std::int64_t chunk = cell >> chunk_bits_;
  auto found = known_.find(chunk);
  if (found == known_.end()) found = known_.emplace(chunk, known_of(chunk)).first;
  double& kept = found->second.values[static_cast<std::size_t>(cell - (chunk << chunk_bits_))];
  if (std::isnan(kept)) kept = value(found->second, cell);
  return kept;
}

}  // namespace bombard::cpu
