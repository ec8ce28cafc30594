#include "sim/engines/exact_cells.hpp"

#include <algorithm>
#include <utility>

#include "kernels/base/share_out.hpp"
#include "kernels/layer/update.hpp"
#include "sim/engines/cell_ranges.hpp"

namespace bombard {

namespace {

// A range is computed in whole vectors of this many cells, the widest there are.
constexpr std::int64_t vector_cells = 16;
// A wide range is shared out among threads in pieces: two buffers of 8 KiB, with the storm's
// impacts, fit the first-level cache.
constexpr std::int64_t piece_cells = 2048;
// Less is done before other threads have begun, 0.1 ms at 2e10 interactions per second.
constexpr double interactions_for_threads = 2e6;
// Divisors are tabulated when each will be used several times, and the table (16 MiB, 8 bytes for
// each) stays in the caches: measured on two cores with AVX-512.
constexpr std::int64_t farthest_divisor = std::int64_t{1} << 21;
constexpr double uses_of_a_divisor = 4;
// The table goes so far beyond the layer that vectors at its ends find their divisors, too.
constexpr std::int64_t divisors_beyond_the_layer = 2 * vector_cells;

// Before so many storms the cells that fill a vector are reserve enough: half of 16.
constexpr std::size_t storms_that_need_reserve = vector_cells / 2;

std::int64_t whole_vectors(std::int64_t cells) {
  return (cells + vector_cells - 1) / vector_cells * vector_cells;
}

}  // namespace

template <class Law>
void ExactCells<Law>::add_storm(std::vector<ScaledImpact> impacts) {
  storms_.push_back({std::move(impacts), {}});
}

template <class Law>
CellRange ExactCells<Law>::range_of(const typename Known::value_type& known) {
  return {known.first, known.first + static_cast<std::int64_t>(known.second.size())};
}

template <class Law>
auto ExactCells<Law>::find(const Known& known, const CellRange& range) ->
    typename Known::const_iterator {
  // No range lies within another: the last one that begins early enough also ends last.
  auto at = known.upper_bound(range.begin);
  if (at == known.begin()) return known.end();
  --at;
  return range_of(*at).contains(range) ? at : known.end();
}

template <class Law>
std::vector<CellRange> ExactCells<Law>::missing(std::size_t storm,
                                                const std::vector<CellRange>& ranges) const {
  const Known& known = storms_[storm].after;
  std::vector<CellRange> result;
  for (const CellRange& range : ranges) {
    if (find(known, range) == known.end()) result.push_back(range);
  }
  return result;
}

/// What the cells of a storm stand on.
template <class Law>
std::vector<CellRange> ExactCells<Law>::before(const std::vector<CellRange>& ranges) const {
  return widened(ranges, 1, total_);
}

/// The ranges, and around those that have to be computed from far below a reserve for storms to
/// come: each uses up a cell of it, and only when it is gone is the way down gone again.
template <class Law>
std::vector<CellRange> ExactCells<Law>::with_reserve(const std::vector<CellRange>& ranges) const {
  const std::size_t last = storms_.size() - 1;
  if (last < storms_that_need_reserve) return ranges;
  const auto reserve = static_cast<std::int64_t>(last / 2);
  std::vector<CellRange> result;
  for (const CellRange& range : ranges) {
    const Known& known = storms_[last - 1].after;
    const bool near = find(known, range.widened(1, total_)) != known.end();
    result.push_back(near ? range : range.widened(reserve, total_));
  }
  std::ranges::sort(result, {}, &CellRange::begin);
  return widened(result, 0, total_);
}

template <class Law>
double ExactCells<Law>::cost(const std::vector<CellRange>& ranges) const {
  double interactions = 0;
  std::vector<CellRange> wanted = with_reserve(missing(storms_.size() - 1, ranges));
  for (std::size_t storm = storms_.size(); storm-- > 0 && !wanted.empty();) {
    wanted = before(missing(storm, wanted));
    for (const CellRange& range : wanted) {
      interactions += static_cast<double>(whole_vectors(range.count())) *
                      static_cast<double>(storms_[storm].impacts.size());
    }
  }
  return interactions;
}

/// The range made wider until its vectors are full, as far as the cells before the storm are known:
/// later storms may need the cells around it.
template <class Law>
CellRange ExactCells<Law>::filled(std::size_t storm, const CellRange& range) const {
  CellRange limit{0, total_};
  if (storm > 0) {
    const CellRange known = range_of(*find(storms_[storm - 1].after, range.widened(1, total_)));
    limit = {known.begin == 0 ? 0 : known.begin + 1, known.end == total_ ? total_ : known.end - 1};
  }
  const std::int64_t computed = range.count() + 2;
  const std::int64_t idle = whole_vectors(computed) - computed;
  const std::int64_t left = std::min((idle + 1) / 2, range.begin - limit.begin);
  const std::int64_t right = std::min(idle - left, limit.end - range.end);
  return {range.begin - left, range.end + right};
}

/// One storm on some cells: update, then relax.
template <class Law>
void ExactCells<Law>::compute(std::size_t storm, const Piece& piece) const {
  const CellRange wide = piece.cells.widened(1, total_);
  std::vector<float> cells(static_cast<std::size_t>(wide.count()), 0.0F);
  if (storm > 0) {
    const auto known = find(storms_[storm - 1].after, wide);
    std::copy_n(known->second.data() + (wide.begin - known->first), wide.count(), cells.data());
  }
  cpu::update(rule_, storms_[storm].impacts, wide.begin, divisors_, cells);
  const float* copy = cells.data() - wide.begin;
  for (std::int64_t k = piece.cells.begin; k < piece.cells.end; ++k) {
    const bool end_of_layer = k == 0 || k == total_ - 1;
    piece.after[k - piece.cells.begin] =
        end_of_layer ? copy[k] : (copy[k - 1] + copy[k] + copy[k + 1]) / 3.0F;
  }
}

template <class Law>
void ExactCells<Law>::compute(std::size_t storm, const std::vector<Piece>& pieces,
                              double interactions) const {
  const int threads = interactions > interactions_for_threads ? threads_ : 1;
  cpu::share_out(static_cast<std::int64_t>(pieces.size()), threads, [&](const auto& each) {
    each([&](std::int64_t i) { compute(storm, pieces[static_cast<std::size_t>(i)]); });
  });
}

/// Ranges within this one go: none may lie within another.
template <class Law>
void ExactCells<Law>::keep(Known& known, const CellRange& range, std::vector<float>&& values) {
  auto at = known.lower_bound(range.begin);
  while (at != known.end() && range.contains(range_of(*at))) at = known.erase(at);
  if (find(known, range) == known.end()) known[range.begin] = std::move(values);
}

template <class Law>
void ExactCells<Law>::evaluate(std::size_t storm, const std::vector<CellRange>& ranges) {
  std::vector<CellRange> work = missing(storm, ranges);
  if (work.empty()) return;
  if (storm > 0) evaluate(storm - 1, before(work));

  std::vector<std::vector<float>> values;
  std::vector<Piece> pieces;
  double interactions = 0;
  for (CellRange& range : work) {
    range = filled(storm, range);
    values.emplace_back(static_cast<std::size_t>(range.count()));
    interactions +=
        static_cast<double>(range.count()) * static_cast<double>(storms_[storm].impacts.size());
    for (std::int64_t begin = range.begin; begin < range.end; begin += piece_cells) {
      pieces.push_back({{begin, std::min(begin + piece_cells, range.end)},
                        values.back().data() + (begin - range.begin)});
    }
  }
  compute(storm, pieces, interactions);
  for (std::size_t i = 0; i < work.size(); ++i) {
    keep(storms_[storm].after, work[i], std::move(values[i]));
  }
}

template <class Law>
void ExactCells<Law>::evaluate(const std::vector<CellRange>& ranges) {
  const std::int64_t farthest = std::min(total_ + divisors_beyond_the_layer, farthest_divisor);
  if (divisors_.farthest() < 0 &&
      cost(ranges) > uses_of_a_divisor * 2 * static_cast<double>(farthest)) {
    divisors_ = cpu::DivisorTable<Law>(rule_.law, farthest);
  }
  evaluate(storms_.size() - 1, with_reserve(missing(storms_.size() - 1, ranges)));
}

template <class Law>
std::span<const float> ExactCells<Law>::values(const CellRange& range) const {
  if (storms_.empty()) return {};
  const auto known = find(storms_.back().after, range);
  if (known == storms_.back().after.end()) return {};
  return {known->second.data() + (range.begin - known->first),
          static_cast<std::size_t>(range.count())};
}

template <class Law>
void ExactCells<Law>::forget_earlier_storms() {
  for (std::size_t storm = 0; storm + 1 < storms_.size(); ++storm) storms_[storm] = {};
}

template class ExactCells<SquareRootLaw>;
template class ExactCells<GeneralLaw>;

}  // namespace bombard
