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

// These are for shares that end. Shares are added one by one, 5 ns (a root) to 25 ns (a power)
// each, if this takes no longer than the states of the sources. The excess, the shares that do not
// count, is too much above a certain part of the highest share. Then shares are added one by one if
// this takes no longer than passes over the layer, some 10 ns for each cell, and at most 25 s.
constexpr double shares_for_a_source = 35;
constexpr double most_excess = 0.1;
constexpr double shares_per_cell = 1.0 / 2;
constexpr double most_shares_at_all = 1e9;
constexpr double shares_of_no_account = 1e5;
// If a cell has no more shares than this, states take longer: making an exponential sum takes
// 0.15 ms, and the states of a chunk take 1 us.
constexpr double few_shares = 32;
// This covers the roundings of the sum of the excess and of its shares.
constexpr double slack = 1 + 1e-8;

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
  shares_added_ = shares_ ? -shares_->added() : 0;
  storms_ = 0;
  sources_.clear();
  shares_end_ = false;
  excess_ = 0;
  deposits_ = 0;
  forget_sums();
}

void SparseLayer::forget_sums() {
  one_by_one_.reset();
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
    shares_added_ = shares_added();
    shares_.emplace(attenuation_, scale_, 2 * cells, cells - least_far);
    states_.reset();
  }
  shares_->make(storms);
}

/// The cells at each end that the storms before have changed, and two more, take the storm's shares
/// and are relaxed, but for the last one, which value() does not ask for. The outermost cell is
/// never relaxed.
void SparseLayer::add_to_ends(const std::vector<SparseSource>& fresh) {
  const SharesOneByOne storm(*shares_, fresh, storms_);
  for (int side = 0; side < 2; ++side) {
    std::vector<double>& end = ends_[side];
    for (std::size_t k = 0; k < end.size(); ++k) {
      end[k] += storm.at(cell_at(side, static_cast<std::int64_t>(k)));
    }
    double before = end.front();
    for (std::size_t k = 1; k + 1 < end.size(); ++k) {
      const double here = end[k];
      end[k] = (before + here + end[k + 1]) / 3;
      before = here;
    }
  }
}

void SparseLayer::add_storm(std::span<const Impact> deposits,
                            std::span<const std::int64_t> reaches) {
  const std::int64_t now = storms_ + 1;
  std::vector<double> ends[2];
  for (int side = 0; side < 2; ++side) {
    for (std::int64_t k = 0; k < now + 1; ++k) ends[side].push_back(counted(cell_at(side, k)));
  }
  forget_sums();
  make_room_for(now);
  const std::vector<SparseSource> fresh = sorted_sources(deposits, reaches, now);
  for (int side = 0; side < 2; ++side) ends_[side] = std::move(ends[side]);
  add_to_ends(fresh);
  sources_.insert(sources_.end(), fresh.begin(), fresh.end());
  std::ranges::inplace_merge(sources_, sources_.end() - std::ssize(fresh), {},
                             &SparseSource::position);
  shares_end_ = shares_end_ || std::ranges::any_of(reaches, [](std::int64_t reach) {
                  return reach < reaches_everywhere;
                });
  deposits_ += static_cast<std::int64_t>(deposits.size());
  storms_ = now;
  find_sums();
}

/// Finds the sums, by states of all shares, or one by one of the shares that count.
void SparseLayer::find_sums() {
  excess_ = 0;
  one_by_one_.emplace(*shares_, sources_, storms_);
  if (shares_end_) {
    excess_ = beyond_reaches();
    const double as_long_as_states = shares_for_a_source * static_cast<double>(sources_.size());
    if (find_sums_one_by_one(has_too_much_excess() ? most_shares() : as_long_as_states)) return;
  }
  chunks_ = occupied_chunks(sources_, storms_, chunk_bits_, between_ends());
  by_states_ = shares_end_ || shares_of_cell() > few_shares;
  if (by_states_) states_of_sources().sum(sources_, chunks_, storms_);
  find_groups();
}

void SparseLayer::find_groups() {
  // Roundings may make any cell of the ends a peak, whatever is near it.
  groups_ = {Group{{0, storms_ + 1}, 0}};
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    StoppableWork::may_stop_at(i);
    const CellRange& seen = chunks_[i].seen;
    if (seen.count() <= 0 || (!by_states_ && !one_by_one_->may_have_peaks(seen))) continue;
    groups_.push_back({seen, by_states_ ? states_->highest(i) : one_by_one_->highest(seen)});
  }
  groups_.push_back({{cells_ - storms_ - 1, cells_}, 0});
  for (Group* const end : {&groups_.front(), &groups_.back()}) {
    for (std::int64_t k = end->cells.begin; k < end->cells.end; ++k) {
      end->highest = std::max(end->highest, value(k));
    }
  }
}

/// The most shares that are worth adding one by one if no other way is good enough.
double SparseLayer::most_shares() const {
  return std::clamp(static_cast<double>(cells_) * shares_per_cell, shares_of_no_account,
                    most_shares_at_all);
}

/// Returns false, and does nothing, if this takes too many shares.
bool SparseLayer::find_sums_one_by_one(double most) {
  // A relaxed share is the mean of 2 * storms_ + 1 shares, and half of these end before.
  const auto of_cells = [&](const CellRange& cells) {
    if (!one_by_one_->may_have_peaks(cells)) return 0.0;
    return static_cast<double>(cells.count() * std::ssize(one_by_one_->near(cells))) *
           (static_cast<double>(storms_) + 0.5);
  };
  // The sources' own cells tell whether it is worth finding all others; some of them are enough.
  constexpr std::size_t some = 64;
  const std::size_t step = sources_.size() / some + 1;
  double shares = 0;
  for (std::size_t i = 0; i < sources_.size(); i += step) {
    const std::int64_t cell = sources_[i].position;
    if (!between_ends().contains(cell) || (i > 0 && sources_[i - 1].position == cell)) continue;
    shares += of_cells({cell, cell + 1}) * static_cast<double>(step);
  }
  if (shares > most) return false;
  const std::vector<SparseSource> kinks = kinks_of(sources_, between_ends(), storms_);
  std::vector<SparseChunk> chunks = occupied_chunks(kinks, storms_, chunk_bits_, between_ends());
  shares = 0;
  for (const SparseChunk& chunk : chunks) {
    if (chunk.seen.count() > 0) shares += of_cells(chunk.seen);
  }
  if (shares > most) return false;
  excess_ = 0;
  by_states_ = false;
  values_.clear();
  chunks_ = std::move(chunks);
  find_groups();
  return true;
}

bool SparseLayer::has_too_much_excess() const {
  return excess_ > most_excess * highest_own_share();
}

bool SparseLayer::drop_excess() {
  return excess_ > 0 && find_sums_one_by_one(most_shares());
}

/// No cell gets more than this from shares that do not count: a source's first one is its largest.
double SparseLayer::beyond_reaches() const {
  double sum = 0;
  for (const SparseSource& source : sources_) {
    if (source.reach >= reaches_everywhere) continue;
    sum += source.energy * shares_->at(source.reach, 0, reaches_everywhere);
  }
  return sum * slack;
}

/// The highest share that an impact brings to its own cell, or from outside to the end of the
/// layer, where relaxations do not lower it.
double SparseLayer::highest_own_share() const {
  double highest = 0;
  for (const SparseSource& source : sources_) {
    const std::int64_t end = std::clamp<std::int64_t>(source.position, 0, cells_ - 1);
    const std::int64_t outside = std::abs(source.position - end);
    const double share = outside == 0 ? shares_->after(storms_ - source.storm + 1)[1]
                                      : shares_->at(outside, 0, reaches_everywhere);
    highest = std::max(highest, source.energy * share);
  }
  return highest;
}

std::int64_t SparseLayer::neighbourhood_cells(std::int64_t deposits, bool shares_end) const {
  const std::int64_t now = storms_ + 1;
  std::int64_t cells = 3 * deposits;
  for (const SparseSource& source : sources_) cells += 2 * (now - source.storm) + 3;
  // Reaches have two ends.
  return (shares_end || shares_end_ ? 3 : 1) * cells + 2 * (now + 1);
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
  if (fresh)
    kept->second = by_states_ ? states_->at(cell) : one_by_one_ ? one_by_one_->at(cell) : 0;
  return kept->second;
}

double SparseLayer::counted(std::int64_t cell) const {
  const bool at_end = cell < storms_ || cell >= cells_ - storms_;
  return at_end || excess_ == 0 ? value(cell) : one_by_one_->at(cell);
}

double SparseLayer::shares_of_cell() const {
  return static_cast<double>(sources_.size()) * static_cast<double>(2 * storms_ + 1);
}

}  // namespace bombard::cpu
