#include "kernels/convolution/sparse/sparse_layer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "kernels/base/stoppable_work.hpp"
#include "kernels/base/unit_roundoff.hpp"

namespace bombard::cpu {

namespace {

// The least distance in cells between a chunk and a source that is far from it, after all
// relaxations: there the exponential sum is as short as the dense method's.
constexpr std::int64_t least_far = chunk_cells;

// If a cell has no more shares than this, including those before relaxations, states take longer:
// making an exponential sum takes 0.15 ms, and the states of a chunk take 1 us.
constexpr std::int64_t few_shares = 32;

// Roundings of a share (docs/roundings.md, Sparse). Over a chunk and its gap: three decays, each of
// them an exponential (2) and a product. The others, apart from relaxations: those of a source's
// row, of the arguments and of a chord.
constexpr double roundings_of_gap = 9;
constexpr double roundings_of_relaxation = 6;
constexpr double other_roundings = 100;
// Those of the argument of a share with a range, unless it is so large that the share becomes 0.
constexpr double roundings_of_argument = 4 * 745;

}  // namespace

SparseLayer::SparseLayer(std::int64_t cells, const Attenuation& attenuation, double scale,
                         double relative_error)
    : cells_(cells),
      attenuation_(attenuation),
      scale_(scale),
      wanted_error_(relative_error),
      sum_error_(std::isinf(attenuation.range) ? 0
                                               : roundings_of_argument * unit_roundoff_binary64) {}

void SparseLayer::clear() {
  storms_ = 0;
  sources_.clear();
  deposits_ = 0;
  forget_sums();
}

void SparseLayer::forget_sums() {
  by_states_ = false;
  chunks_.clear();
  groups_.clear();
  values_.clear();
}

/// Makes the states' tables, unless those that exist cover all sources.
SparseStates& SparseLayer::states_of_sources() {
  std::int64_t farthest = cells_;
  if (!sources_.empty()) {
    farthest = std::max({cells_, sources_.back().position, cells_ - sources_.front().position});
  }
  const auto longest = static_cast<double>(farthest + (std::int64_t{4} << chunk_bits_));
  if (!states_ || states_->longest() < longest) {
    states_.emplace(*shares_, attenuation_, scale_, chunk_bits_, longest, wanted_error_);
    sum_error_ = std::max(sum_error_, states_->sum_error());
  }
  return *states_;
}

/// Makes the chunks wide enough: after the relaxations of `storms` storms, far sources are still at
/// least least_far cells away.
void SparseLayer::make_room_for(std::int64_t storms) {
  const auto cells_of_chunk = std::bit_ceil(static_cast<std::uint64_t>(least_far + storms));
  const int bits = std::countr_zero(cells_of_chunk);
  if (!shares_ || bits != chunk_bits_) {
    chunk_bits_ = bits;
    const auto cells = static_cast<std::int64_t>(cells_of_chunk);
    shares_.emplace(attenuation_, scale_, 2 * cells, cells - least_far);
    states_.reset();
  }
  shares_->make(storms);
}

/// The cells at each end that the storms before have changed, and two more, take the storm's shares
/// and are relaxed, but for the last one, which value() does not ask for. The outermost cell is
/// never relaxed.
void SparseLayer::add_to_ends(const std::vector<SparseSource>& fresh) {
  for (int side = 0; side < 2; ++side) {
    std::vector<double>& end = ends_[side];
    for (std::size_t k = 0; k < end.size(); ++k) {
      StoppableWork::may_stop();
      end[k] += sum_of_shares(fresh, cell_at(side, static_cast<std::int64_t>(k)));
    }
    double before = end.front();
    for (std::size_t k = 1; k + 1 < end.size(); ++k) {
      const double here = end[k];
      end[k] = (before + here + end[k + 1]) / 3;
      before = here;
    }
  }
}

void SparseLayer::add_storm(std::span<const Impact> deposits) {
  const std::int64_t now = storms_ + 1;
  std::vector<double> ends[2];
  for (int side = 0; side < 2; ++side) {
    for (std::int64_t k = 0; k < now + 1; ++k) ends[side].push_back(value(cell_at(side, k)));
  }
  forget_sums();
  make_room_for(now);
  const std::vector<SparseSource> fresh = sorted_sources(deposits, now);
  for (int side = 0; side < 2; ++side) ends_[side] = std::move(ends[side]);
  add_to_ends(fresh);
  sources_.insert(sources_.end(), fresh.begin(), fresh.end());
  std::ranges::inplace_merge(sources_, sources_.end() - std::ssize(fresh), {},
                             &SparseSource::position);
  deposits_ += static_cast<std::int64_t>(deposits.size());
  storms_ = now;
  find_sums();
}

/// The shares that sources bring to a cell, after the relaxations of all storms so far. Those of
/// the next storm are not relaxed yet.
double SparseLayer::sum_of_shares(std::span<const SparseSource> sources, std::int64_t cell) const {
  if (sources.empty()) return 0;
  double sum = 0;
  for (const SparseSource& source : sources) {
    sum +=
        source.energy * shares_->at(std::abs(cell - source.position), storms_ - source.storm + 1);
  }
  return sum;
}

void SparseLayer::find_sums() {
  chunks_ = occupied_chunks(sources_, storms_, chunk_bits_, between_ends());
  by_states_ = std::ssize(sources_) * (2 * storms_ + 1) > few_shares;
  if (by_states_) states_of_sources().sum(sources_, chunks_, storms_);
  find_groups();
}

void SparseLayer::find_groups() {
  const auto highest_value = [&](const CellRange& cells) {
    double highest = 0;
    for (std::int64_t k = cells.begin; k < cells.end; ++k) highest = std::max(highest, value(k));
    return highest;
  };
  // Roundings may make any cell of the ends a peak, whatever is near it.
  const CellRange left{0, storms_ + 1}, right{cells_ - storms_ - 1, cells_};
  groups_.push_back({left, highest_value(left)});
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    StoppableWork::may_stop_at(i);
    const CellRange& seen = chunks_[i].seen;
    if (seen.count() <= 0) continue;
    groups_.push_back({seen, by_states_ ? states_->highest(i) : highest_value(seen)});
  }
  groups_.push_back({right, highest_value(right)});
}

std::int64_t SparseLayer::neighbourhood_cells(std::int64_t deposits) const {
  const std::int64_t now = storms_ + 1;
  std::int64_t cells = 3 * deposits + 2 * (now + 1);
  for (const SparseSource& source : sources_) cells += 2 * (now - source.storm) + 3;
  return cells;
}

double SparseLayer::relative_error() const {
  const double chunk_roundings = states_ ? roundings_of_gap : 0;
  const double terms = states_ ? static_cast<double>(states_->terms()) : 0;
  const double roundings = chunk_roundings * static_cast<double>(chunks_.size()) +
                           3 * static_cast<double>(deposits_) + terms +
                           roundings_of_relaxation * static_cast<double>(storms_) + other_roundings;
  return sum_error_ + roundings * unit_roundoff_binary64;
}

double SparseLayer::value(std::int64_t cell) const {
  for (int side = 0; side < 2; ++side) {
    const std::int64_t from_end = cell_at(side, cell);
    if (from_end < storms_) return ends_[side][static_cast<std::size_t>(from_end)];
  }
  const auto [kept, fresh] = values_.try_emplace(cell);
  if (fresh) kept->second = by_states_ ? states_->at(cell) : sum_of_shares(sources_, cell);
  return kept->second;
}

}  // namespace bombard::cpu
