#include "sim/engines/fast/exact_cells.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/base/share_out.hpp"
#include "kernels/base/stoppable_work.hpp"
#include "kernels/layer/update.hpp"
#include "kernels/layer/update_work.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/fast/cell_ranges.hpp"

namespace bombard {

namespace {

// A wide range is shared out among threads in pieces: two buffers of 8 KiB, with the storm's
// impacts, fit the first-level cache.
constexpr std::int64_t piece_cells = 2048;
// A counted one, with a cell on either side, is a tile of counting.
constexpr std::int64_t counted_piece_cells = cpu::CountingMemory::most_cells - 2;
// Less is done before other threads have begun, 0.1 ms at 2e10 interactions per second.
constexpr double interactions_for_threads = 2e6;
// Divisors are tabulated when each will be used several times, for the whole layer: at most 24 MiB,
// 8 bytes for each. A table that ends within the layer makes narrow ranges slower than none:
// presumably the processor guesses wrongly, impact by impact, whether the divisor is in it.
// Measured on two cores with AVX-512 (docs/journal.md, Divisors of narrow ranges).
constexpr std::int64_t most_cells_with_divisors = std::int64_t{3} << 20;
constexpr double uses_of_a_divisor = 4;
// Counting computes those beyond.
constexpr std::int64_t farthest_counted_divisor = std::int64_t{1} << 22;
// From this layer on most impacts are so far away that a range of 16 cells has one distance in
// binary32: ranges that lie apart are computed together.
constexpr std::int64_t least_cells_apart = std::int64_t{1} << 36;
// And up to this layer binary64 has all distances.
constexpr std::int64_t most_cells_apart = std::int64_t{1} << 51;
// The table goes so far beyond the layer that vectors at its ends find their divisors, too.
constexpr std::int64_t divisors_beyond_the_layer = 2 * vector_cells;

/// The range without `cells` cells on either side, but for the ends of a layer of `total` cells.
CellRange shrunk(const CellRange& range, std::int64_t cells, std::int64_t total) {
  return {range.begin == 0 ? 0 : range.begin + cells,
          range.end == total ? total : range.end - cells};
}

std::int64_t whole_vectors(std::int64_t cells) {
  return (cells + vector_cells - 1) / vector_cells * vector_cells;
}

using Known = std::map<std::int64_t, std::vector<float>>;

CellRange range_of(const Known::value_type& known) {
  return {known.first, known.first + std::ssize(known.second)};
}

std::int64_t bytes_of(const CellRange& range) {
  return bytes_of_range + range.count() * static_cast<std::int64_t>(sizeof(float));
}

/// The known range around these cells; the end without one.
Known::const_iterator find(const Known& known, const CellRange& range) {
  // No range lies within another: the last one that begins early enough also ends last.
  auto at = known.upper_bound(range.begin);
  if (at == known.begin()) return known.end();
  --at;
  return range_of(*at).contains(range) ? at : known.end();
}

}  // namespace

void ExactCells::begin_with(const KnownCells& known) {
  known_ = known;
  storms_.clear();
  bytes_ = 0;
}

void ExactCells::add_storm(std::span<const Impact> impacts, std::span<const std::int64_t> reaches,
                           bool all_count, double time) {
  std::vector<ScaledImpact> taken;
  taken.reserve(impacts.size());
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    if (impacts[i].energy == 0) continue;  // changes nothing
    taken.push_back(scaled(energy_, impacts[i],
                           reaches.empty() ? ScaledImpact::any : reach_of_impact(reaches[i])));
  }
  bytes_ += static_cast<std::int64_t>(sizeof(Storm) + taken.size() * sizeof(ScaledImpact));
  storms_.push_back({std::move(taken), all_count, time, {}});
}

/// A storm's cost with a range of cells. To count costs less in any range.
double ExactCells::cost(const Storm& storm, std::int64_t cells) {
  const auto impacts = static_cast<double>(storm.impacts.size());
  return storm.time < 1 ? cost_of_counted_cells(static_cast<double>(cells), impacts, storm.time,
                                                static_cast<double>(counted_piece_cells))
                        : cost_of_narrow_range(static_cast<double>(whole_vectors(cells)), impacts);
}

double ExactCells::least_cost_of_cell() const {
  const Storm& last = storms_.back();
  const double impacts = std::max(1.0, static_cast<double>(last.impacts.size()));
  return impacts * (last.time < 1 ? last.time : narrow_cost * static_cast<double>(vector_cells));
}

bool ExactCells::is_known(std::size_t storm, const CellRange& range) const {
  const Ranges& known = storms_[storm].after;
  return find(known, range) != known.end();
}

std::vector<CellRange> ExactCells::missing(std::size_t storm,
                                           const std::vector<CellRange>& ranges) const {
  std::vector<CellRange> result;
  for (const CellRange& range : ranges) {
    if (!is_known(storm, range)) result.push_back(range);
  }
  return result;
}

/// Ranges that are computed from far below become wider, no wider than what can be computed from
/// the cells that are known there. Where impacts are counted, the cells between two ranges cost
/// less than a second range does. Elsewhere each later storm uses up a cell on either side.
std::vector<CellRange> ExactCells::with_reserve(const std::vector<CellRange>& ranges) const {
  const std::size_t last = storms_.size() - 1;
  const double time = storms_[last].time;
  const bool counts = time < 1;
  const auto reserve = counts ? static_cast<std::int64_t>(cost_of_counted_range / 2 / time)
                              : static_cast<std::int64_t>(last / 2);
  const CellRange all = shrunk(known_.cells, static_cast<std::int64_t>(last + 1), total_);
  std::vector<CellRange> result;
  for (const CellRange& range : ranges) {
    const bool from_last = !counts && last > 0 && is_known(last - 1, range.widened(1, total_));
    result.push_back(from_last ? range : range.widened(reserve, total_).common(all));
  }
  std::ranges::sort(result, {}, &CellRange::begin);
  return widened(result, 0, total_);
}

auto ExactCells::plan(const std::vector<CellRange>& ranges) const -> Plan {
  Plan plan;
  std::vector<CellRange> wanted = with_reserve(missing(storms_.size() - 1, ranges));
  for (std::size_t storm = storms_.size(); storm-- > 0 && !wanted.empty();) {
    plan.ranges.push_back(missing(storm, wanted));
    wanted = widened(plan.ranges.back(), 1, total_);  // on which those depend
    for (const CellRange& range : wanted) {
      plan.interactions += cost(storms_[storm], range.count());
      plan.bytes += bytes_of(range);
    }
  }
  return plan;
}

/// The cells that are known before a storm, around those on which a range after it depends.
KnownCells ExactCells::known_before(std::size_t storm, const CellRange& range) const {
  if (storm == 0) return known_;
  const auto known = find(storms_[storm - 1].after, range.widened(1, total_));
  return {range_of(*known), known->second};
}

/// The range made wider until its vectors are full, as far as the cells before the storm are known:
/// a later storm then finds the cells around its candidates. Together with others each cell costs.
CellRange ExactCells::filled(std::size_t storm, const CellRange& range) const {
  if (total_ >= least_cells_apart || storms_[storm].time < 1) return range;
  const CellRange limit = shrunk(known_before(storm, range).cells, 1, total_);
  const std::int64_t computed = range.count() + 2, idle = whole_vectors(computed) - computed;
  const std::int64_t left = std::min((idle + 1) / 2, range.begin - limit.begin);
  return {range.begin - left, range.end + std::min(idle - left, limit.end - range.end)};
}

/// Cells to be computed, and where their values go.
struct ExactCells::Piece {
  CellRange cells;
  std::span<float> after;
};

/// One storm on some cells, from those on which they depend: update, then relax. Several pieces lie
/// apart.
void ExactCells::compute(std::size_t storm, std::span<const Piece> pieces,
                         cpu::CountingMemory* counting) const {
  const bool apart = pieces.size() > 1;
  const std::int64_t stride = apart ? cpu::ranges_apart : 1;
  std::array<std::int64_t, cpu::ranges_apart> firsts{};
  std::int64_t widest = 0;
  for (const Piece& piece : pieces) {
    widest = std::max(widest, piece.cells.widened(1, total_).count());
  }
  if (apart) widest = widest > cpu::ranges_apart / 2 ? cpu::ranges_apart : cpu::ranges_apart / 2;
  std::vector<float> copy(static_cast<std::size_t>(stride * widest));
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const CellRange wide = pieces[p].cells.widened(1, total_);
    firsts[p] = wide.begin;
    const KnownCells known = known_before(storm, pieces[p].cells);
    if (known.values.empty()) continue;
    float* cell = copy.data() + p;
    for (const float value : slice(known.values, wide.counted_from(known.cells.begin))) {
      *cell = value;
      cell += stride;
    }
  }
  constexpr std::size_t impacts_without_a_stop = 1 << 14;
  std::span<const ScaledImpact> impacts = storms_[storm].impacts;
  while (!impacts.empty()) {
    StoppableWork::may_stop();
    const auto some = impacts.first(std::min(impacts.size(), impacts_without_a_stop));
    with_law(rule_, [&](const auto& rule) {
      if (apart) return cpu::update_apart(rule, some, firsts, copy);
      cpu::update(rule, some, storms_[storm].all_count, firsts[0], divisors_, std::span(copy),
                  counting);
    });
    impacts = impacts.subspan(some.size());
  }
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const auto& [cells, after] = pieces[p];
    const float* here = copy.data() + (cells.begin - firsts[p]) * stride + p;
    for (std::int64_t cell = cells.begin; cell < cells.end; ++cell, here += stride) {
      const bool end_of_layer = cell == 0 || cell == total_ - 1;
      after[static_cast<std::size_t>(cell - cells.begin)] =
          end_of_layer ? *here : (here[-stride] + here[0] + here[stride]) / 3.0F;
    }
  }
}

/// Ranges within this one go: none may lie within another.
void ExactCells::keep(Ranges& known, const CellRange& range, std::vector<float>&& values) {
  auto at = known.lower_bound(range.begin);
  while (at != known.end() && range.contains(range_of(*at))) {
    bytes_ -= bytes_of(range_of(*at));
    at = known.erase(at);
  }
  if (find(known, range) != known.end()) return;
  bytes_ += bytes_of(range);
  known[range.begin] = std::move(values);
}

/// Ranges after a storm, from what is known before it; wide ones in pieces, many narrow ones that
/// lie apart together, by several threads.
void ExactCells::evaluate(std::size_t storm, const std::vector<CellRange>& ranges) {
  std::vector<Piece> pieces;
  std::vector<std::vector<float>> values;
  double cells = 0;
  const bool counts = storms_[storm].time < 1;
  std::vector<CellRange> wide;
  for (const CellRange& range : ranges) {
    const auto [begin, end] = wide.emplace_back(filled(storm, range));
    values.emplace_back(static_cast<std::size_t>(end - begin));
    cells += static_cast<double>(end - begin);
    const std::int64_t widest =
        counts ? cpu::width_of_pieces(end - begin, threads_, counted_piece_cells) : piece_cells;
    for (std::int64_t cell = begin; cell < end; cell += widest) {
      const CellRange piece{cell, std::min(cell + widest, end)};
      pieces.push_back({piece, slice(std::span(values.back()), piece.counted_from(begin))});
    }
  }
  const bool many = total_ >= least_cells_apart && total_ <= most_cells_apart &&
                    pieces.size() >= cpu::ranges_apart && !counts;
  const auto narrow = [&](const Piece& piece) {
    return many && piece.cells.count() + 2 <= cpu::ranges_apart;
  };
  std::vector<std::span<const Piece>> groups;
  for (std::span<const Piece> rest = pieces; !rest.empty();
       rest = rest.subspan(groups.back().size())) {
    const auto together = rest.first(std::min<std::size_t>(rest.size(), cpu::ranges_apart));
    groups.push_back(rest.first(std::ranges::all_of(together, narrow) ? together.size() : 1));
  }
  const double interactions = cells * static_cast<double>(storms_[storm].impacts.size());
  const int threads = interactions > interactions_for_threads ? threads_ : 1;
  cpu::share_out(std::ssize(groups), threads, [&](const auto& each) {
    const auto counting = counts ? std::make_unique<cpu::CountingMemory>() : nullptr;
    each([&](std::int64_t group) {
      compute(storm, groups[static_cast<std::size_t>(group)], counting.get());
    });
  });
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    keep(storms_[storm].after, wide[i], std::move(values[i]));
  }
}

void ExactCells::evaluate(const Plan& plan) {
  const bool counts = storms_.back().time < 1;
  const std::int64_t farthest =
      (counts ? std::min(total_, farthest_counted_divisor) : total_) + divisors_beyond_the_layer;
  if (divisors_.farthest() < 0 && (counts || total_ <= most_cells_with_divisors) &&
      plan.interactions > uses_of_a_divisor * 2 * static_cast<double>(farthest)) {
    divisors_ =
        with_law(rule_, [&](const auto& rule) { return cpu::DivisorTable(rule.law, farthest); });
  }
  for (std::size_t i = plan.ranges.size(); i-- > 0;) {
    evaluate(storms_.size() - 1 - i, plan.ranges[i]);
  }
}

std::span<const float> ExactCells::values(const CellRange& range) const {
  if (storms_.empty()) return {};
  const auto known = find(storms_.back().after, range);
  if (known == storms_.back().after.end()) return {};
  return {known->second.data() + (range.begin - known->first),
          static_cast<std::size_t>(range.count())};
}

}  // namespace bombard
