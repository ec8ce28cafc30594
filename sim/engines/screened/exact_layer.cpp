// The exact layer on a CPU: threads share out tiles of it.

#include "sim/engines/screened/exact_layer.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/base/share_out.hpp"
#include "kernels/base/stoppable_work.hpp"
#include "kernels/counting/counting.hpp"
#include "kernels/layer/relax.hpp"
#include "kernels/layer/update.hpp"
#include "kernels/share/divisor_table.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/screened/cell_ranges.hpp"

namespace bombard {

namespace {

// Instructions take whole vectors of this number of cells, the widest there are: a narrow tile that
// fills one costs no more than a tile of one cell.
constexpr std::int64_t vector_cells = 16;
// Two buffers of a tile of this number of cells, 8 KiB each, with the storm's impacts, fit the
// first-level cache.
constexpr std::int64_t most_tile_cells = 2048;
// A counted tile has a cell more on either side.
constexpr std::int64_t most_counted_cells = cpu::CountingMemory::most_cells - 2;
// Candidates lie apart, and counting for them takes longer than adding one by one, unless it takes
// less than this fraction of the time: 1e7 cells x 50000 impacts (0.51) took 1.30 s counted, 0.34 s
// not.
constexpr double most_time_for_candidates = 0.3;
// Less work is done before other threads have begun: 25 us at 2e10 interactions per second.
constexpr double interactions_for_a_team = 5e5;
// Divisors are tabulated when each will be used several times, for the whole layer: at most 24 MiB,
// 8 bytes for each (docs/journal.md, Divisors of narrow ranges). Counting computes those beyond.
constexpr std::int64_t most_cells_with_divisors = std::int64_t{3} << 20;
constexpr double uses_of_an_entry = 4;
constexpr std::int64_t farthest_counted_divisor = std::int64_t{1} << 22;
constexpr std::int64_t divisors_beyond_the_layer = 2 * vector_cells;

double whole_vectors(std::int64_t cells) {
  const std::int64_t vectors = (cells + vector_cells - 1) / vector_cells;
  return static_cast<double>(vectors * vector_cells);
}

class CpuExactLayer final : public ExactLayer {
 public:
  CpuExactLayer(const EngineOptions& options, const CountingCosts& counting)
      : part_(with_margin(options.part, options.storms)),
        rule_(layer_rule(options.rule, part_.total)),
        counting_(counting),
        threads_(thread_count(options)) {}

  void add(const StormView& storm) override {
    Pending& added = pending_.emplace_back();
    added.time_directly = time_of_counting(storm, part_.total, impacts_, counting_);
    if (added.time_directly < most_time_for_candidates) added.time = added.time_directly;
    added.impacts.reserve(storm.impacts.size());
    for (const Impact& impact : storm.impacts) {
      if (impact.energy != 0) added.impacts.push_back(scaled(rule_.energy, impact));
    }
    impacts_ += static_cast<double>(storm.impacts.size());
  }

  void clear() override {
    pending_.clear();
    impacts_ = 0;
  }

  double cost_directly(const StormView& storm) const override {
    return cost_of_direct_storm(part_.held.count(), storm, pending_.back().time_directly);
  }

  Tiles tiles(const std::vector<CellRange>& ranges) const override {
    Tiles tiles;
    // Cells between two ranges that cost no more than a second range does.
    const std::int64_t half_a_vector = vector_cells / 2;
    const double between = counts() ? cost_of_counted_range / time()
                                    : static_cast<double>(std::ssize(pending_) + half_a_vector);
    const auto apart =
        static_cast<std::int64_t>(std::min(between, static_cast<double>(part_.total)));
    for (const CellRange& range : ranges) {
      if (!tiles.ranges.empty() && range.begin - tiles.ranges.back().end <= apart) {
        tiles.ranges.back().end = range.end;
      } else {
        tiles.ranges.push_back(range);
      }
    }
    for (const CellRange& tile : pieces(tiles, 1)) tiles.interactions += cost(tile);
    return tiles;
  }

  std::vector<float> values(const Tiles& tiles) override {
    tabulate_divisors(tiles.interactions);
    std::vector<float> values(static_cast<std::size_t>(cells_in(tiles.ranges)));
    std::vector<std::pair<CellRange, float*>> all_pieces;  // and where their values go
    float* after = values.data();
    for (const CellRange& piece : pieces(tiles, threads_)) {
      all_pieces.emplace_back(piece, after);
      after += piece.count();
    }
    const int threads = tiles.interactions > interactions_for_a_team ? threads_ : 1;
    cpu::share_out(std::ssize(all_pieces), threads, [&](const auto& each) {
      const auto counting = counts() ? std::make_unique<cpu::CountingMemory>() : nullptr;
      each([&](std::int64_t i) {
        const auto& [piece, values_of_piece] = all_pieces[static_cast<std::size_t>(i)];
        compute(piece, values_of_piece, counting.get());
      });
    });
    return values;
  }

  /// A tile is computed in whole vectors: half a vector of candidates costs hardly more than one of
  /// them.
  std::size_t few_candidates() const override { return vector_cells / 2; }

  double least_cost_of_cell() const override {
    const double impacts = std::max(1.0, static_cast<double>(pending_.back().impacts.size()));
    return impacts * (counts() ? time() : narrow_cost * static_cast<double>(vector_cells));
  }

 private:
  struct Pending {
    std::vector<ScaledImpact> impacts;
    double time = 1;           ///< less: impacts are counted, in this fraction of the time
    double time_directly = 1;  ///< the same for all cells
  };

  double time() const { return pending_.empty() ? 1 : pending_.back().time; }
  bool counts() const { return time() < 1; }

  /// Divides wide ranges if there are fewer ranges than threads, or if tiles would be too wide.
  /// Each storm widens a tile by two cells: narrower ones would be computed twice for the most
  /// part. Costs are those of one thread, so that no choice depends on the number of threads.
  std::vector<CellRange> pieces(const Tiles& tiles, int threads) const {
    const std::int64_t most = counts() ? most_counted_cells : most_tile_cells;
    const std::int64_t least = std::ssize(pending_) + vector_cells;
    const std::int64_t width = std::clamp(
        cpu::width_of_pieces(cells_in(tiles.ranges), threads, most), std::min(least, most), most);
    std::vector<CellRange> pieces;
    for (const CellRange& range : tiles.ranges) {
      for (std::int64_t begin = range.begin; begin < range.end; begin += width) {
        pieces.push_back({begin, std::min(begin + width, range.end)});
      }
    }
    return pieces;
  }

  double cost(const CellRange& tile) const {
    double sum = 0;
    std::int64_t left = std::ssize(pending_);
    for (const Pending& storm : pending_) {
      const std::int64_t cells = tile.widened(left--, part_.total).count();
      const auto impacts = static_cast<double>(storm.impacts.size());
      sum += storm.time < 1 ? cost_of_counted_cells(static_cast<double>(cells), impacts, storm.time,
                                                    static_cast<double>(most_counted_cells))
                            : cost_of_narrow_range(whole_vectors(cells), impacts);
    }
    return sum;
  }

  void tabulate_divisors(double interactions) {
    const std::int64_t farthest =
        (counts() ? std::min(part_.total, farthest_counted_divisor) : part_.total) +
        divisors_beyond_the_layer;
    if (divisors_.farthest() < 0 && (counts() || part_.total <= most_cells_with_divisors) &&
        interactions > uses_of_an_entry * 2 * static_cast<double>(farthest)) {
      divisors_ = cpu::DivisorTable(farthest);
    }
  }

  void compute(const CellRange& piece, float* after, cpu::CountingMemory* counting) const {
    std::int64_t left = std::ssize(pending_);
    CellRange cells = piece.widened(left, part_.total);
    std::vector<float> values(static_cast<std::size_t>(cells.count())), relaxed(values.size());
    std::span<float> here(values), next(relaxed);
    for (const Pending& storm : pending_) {
      add(storm, cells.begin, here, storm.time < 1 ? counting : nullptr);
      next.front() = here.front();
      next.back() = here.back();
      cpu::relax(here, next);
      const CellRange narrower = piece.widened(--left, part_.total);
      const CellRange known = narrower.counted_from(cells.begin);
      here = std::exchange(next, slice(here, known));
      here = slice(here, known);
      cells = narrower;
    }
    std::ranges::copy(here, after);
  }

  /// Update: adds the storm's shares to these cells.
  void add(const Pending& storm, std::int64_t first, std::span<float> cells,
           cpu::CountingMemory* counting) const {
    constexpr std::size_t impacts_without_a_stop = 1 << 14;
    for (std::span<const ScaledImpact> impacts = storm.impacts; !impacts.empty();) {
      StoppableWork::may_stop();
      const auto some = impacts.first(std::min(impacts.size(), impacts_without_a_stop));
      if (counting != nullptr) {
        cpu::update_by_counting(rule_, some, first, divisors_, cells, *counting);
      } else {
        cpu::update(rule_, some, true, first, divisors_, cells);
      }
      impacts = impacts.subspan(some.size());
    }
  }

  Part part_;
  LayerRule rule_;
  const CountingCosts& counting_;
  int threads_;
  std::vector<Pending> pending_;  ///< the storms so far
  double impacts_ = 0;            ///< of these
  cpu::DivisorTable divisors_;
};

}  // namespace

std::unique_ptr<ExactLayer> make_exact_layer(const EngineOptions& options,
                                             const CountingCosts& counting) {
  return std::make_unique<CpuExactLayer>(options, counting);
}

}  // namespace bombard
