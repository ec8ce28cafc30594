// The exact layer on a CPU: CpuDirect has it as a whole, and threads share out tiles of it.

#include "sim/engines/screened/exact_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <queue>
#include <utility>

#include "kernels/base/host_memory.hpp"
#include "kernels/base/share_out.hpp"
#include "kernels/base/stoppable_work.hpp"
#include "kernels/convolution/cpu/in_blocks.hpp"
#include "kernels/layer/relax.hpp"
#include "kernels/layer/row_bounds.hpp"
#include "kernels/layer/update.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/direct/cpu_direct.hpp"
#include "sim/engines/highest_peaks.hpp"
#include "sim/engines/reaches.hpp"
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
// Rows of flat gaps that are looked at before the highest of their parts are, on all threads.
constexpr std::size_t rows_together = 64;
// Divisors are tabulated when each will be used several times, for the whole layer: at most 24 MiB,
// 8 bytes for each (docs/journal.md, Divisors of narrow ranges). Counting computes those beyond.
constexpr std::int64_t most_cells_with_divisors = std::int64_t{3} << 20;
constexpr double uses_of_an_entry = 4;
constexpr std::int64_t farthest_counted_divisor = std::int64_t{1} << 22;
constexpr std::int64_t divisors_beyond_the_layer = 2 * vector_cells;
// Two copies of an impact, one of the pending storm and one as the rule takes it, and its reach.
constexpr std::int64_t bytes_of_impact =
    sizeof(Impact) + sizeof(ScaledImpact) + sizeof(std::int64_t);

double whole_vectors(std::int64_t cells) {
  return static_cast<double>((cells + vector_cells - 1) / vector_cells * vector_cells);
}

class CpuExactLayer final : public ExactLayer {
 public:
  CpuExactLayer(const EngineOptions& options, const CountingCosts& counting)
      : part_(with_margin(options.part, options.storms)),
        energy_(energy_scale(options.rule, part_.total)),
        reaches_(layer_rule(options.rule, part_.total)),
        threads_(thread_count(options)),
        direct_(options, counting) {}

  Engine& whole() override { return direct_; }
  void give_to(ScreenedLayer& layer) const override { layer.begin_with(direct_.held()); }

  double cost_directly(const StormView& storm) override {
    const auto cells = static_cast<double>(part_.held.count());
    const std::vector<std::int64_t> reaches = reaches_.of(storm, part_.held);
    double interactions =
        cells * static_cast<double>(storm.impacts.size()) * direct_.time_of(storm);
    if (!reaches.empty()) {
      interactions = 0;
      for (const std::int64_t reach : reaches) {
        interactions += std::min(2 * static_cast<double>(reach), cells);
      }
    }
    return cost_of_direct_storm(cells, interactions);
  }

  void add(const StormView& storm, bool last) override {
    const auto impacts = static_cast<std::int64_t>(storm.impacts.size());
    require_host_memory(impacts * bytes_of_impact, fmt::format("a storm of {} impacts", impacts));
    const std::vector<std::int64_t> reaches = reaches_.of(storm, part_.held);
    Pending& added = pending_.emplace_back();
    added.all_count = every_share_counts(reaches_.rule(), storm.extent, {0, part_.total});
    // Before the last storm, a layer that is known as a whole is of more use to the next ones.
    const double time = last ? direct_.time_of(storm) : 1;
    if (time < most_time_for_candidates) added.time = time;
    added.impacts.fill(impacts, 1, threads_, [&](std::int64_t i, const auto& put) {
      const auto at = static_cast<std::size_t>(i);
      const Impact& impact = storm.impacts[at];
      if (impact.energy == 0) return;  // changes nothing
      if (!reaches.empty() && !reaches_cells(reaches[at], impact.position, part_.total)) return;
      put(0, scaled(energy_, impact,
                    reaches.empty() ? ScaledImpact::any : reach_of_impact(reaches[at])));
    });
  }

  void forget() override { pending_.clear(); }

  Tiles tiles(const std::vector<CellRange>& ranges, std::size_t storms) const override {
    Tiles tiles{{}, storms};
    // Cells between two ranges that cost no more than a second range does.
    const double between =
        counts() ? cost_of_counted_range / time() : static_cast<double>(storms) + vector_cells / 2;
    const auto apart =
        static_cast<std::int64_t>(std::min(between, static_cast<double>(part_.total)));
    for (const CellRange& range : ranges) {
      if (!tiles.ranges.empty() && range.begin - tiles.ranges.back().end <= apart) {
        tiles.ranges.back().end = range.end;
      } else {
        tiles.ranges.push_back(range);
      }
    }
    for (const CellRange& tile : pieces(tiles, 1)) tiles.interactions += cost(tile, storms);
    return tiles;
  }

  std::vector<std::vector<float>> values(std::span<const Tiles> several) override {
    double interactions = 0;
    std::int64_t cells = 0;
    for (const Tiles& tiles : several) {
      interactions += tiles.interactions;
      cells += cells_in(tiles.ranges);
    }
    tabulate_divisors(interactions);
    require_host_memory(cells * static_cast<std::int64_t>(sizeof(float)), "cells by the rule");
    std::vector<std::vector<float>> values(several.size());
    std::vector<Piece> all_pieces;
    for (std::size_t i = 0; i < several.size(); ++i) {
      const Tiles& tiles = several[i];
      values[i].resize(static_cast<std::size_t>(cells_in(tiles.ranges)));
      float* after = values[i].data();
      for (const CellRange& piece : pieces(tiles, threads_)) {
        all_pieces.push_back({piece, tiles.storms, after});
        after += piece.count();
      }
    }
    const int threads = interactions > interactions_for_a_team ? threads_ : 1;
    cpu::share_out(std::ssize(all_pieces), threads, [&](const auto& each) {
      const auto counting = counts() ? std::make_unique<cpu::CountingMemory>() : nullptr;
      each([&](std::int64_t i) {
        compute(all_pieces[static_cast<std::size_t>(i)], counting.get());
      });
    });
    return values;
  }

  /// Gaps are rows at first. The rows that may have the highest peaks are divided until few cells
  /// are left (docs/methods.md, Flat gaps).
  std::optional<Peaks> peaks_of_gaps(const std::vector<CellRange>& gaps, std::size_t storms,
                                     std::size_t count, double least, double most) const override {
    double cost_of_halves = 0;
    for (const Pending& storm : pending(storms)) {
      cost_of_halves += 2 * cost_of_row_bounds(static_cast<double>(storm.impacts.size()));
    }
    std::priority_queue<Row> left;
    for (const CellRange& gap : gaps) left.push({gap, std::numeric_limits<float>::infinity()});
    HighestPeaks best(count, 0);
    Peaks found;
    for (;;) {
      std::vector<Row> highest;
      while (highest.size() < rows_together && !left.empty() &&
             left.top().most >= std::max(least, best.least())) {
        highest.push_back(left.top());
        left.pop();
      }
      if (highest.empty()) break;
      double interactions = 0;
      for (const Row& row : highest) {
        if (is_short(row)) found.cells += row.cells.count();
        interactions +=
            is_short(row) ? cost(row.cells.widened(1, part_.total), storms) : cost_of_halves;
      }
      found.interactions += interactions;
      if (found.interactions > most) return std::nullopt;
      for (const LookedAt& row : look_at(highest, storms, interactions)) {
        for (const Row& half : row.halves) {
          if (half.most > 0) left.push(half);
        }
        for (const CellValue& peak : row.peaks) {
          if (peak.value >= least && best.takes(peak)) best.add(peak);
        }
      }
    }
    found.peaks = std::move(best).sorted();
    return found;
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
    cpu::InBlocks<ScaledImpact> impacts;  ///< one block of them
    bool all_count;                       ///< every share, in every cell of the layer
    double time = 1;  ///< less: impacts are counted, in this fraction of the time
  };

  /// Cells that a thread computes after some storms, and where their values go.
  struct Piece {
    CellRange cells;
    std::size_t storms;
    float* after;
  };

  double time() const { return pending_.empty() ? 1 : pending_.back().time; }
  bool counts() const { return time() < 1; }

  /// Divides wide ranges if there are fewer ranges than threads, or if tiles would be too wide.
  /// Each storm widens a tile by two cells: narrower ones would be computed twice for the most
  /// part. Costs are those of one thread, so that no choice depends on the number of threads.
  std::vector<CellRange> pieces(const Tiles& tiles, int threads) const {
    const std::int64_t most = counts() ? most_counted_cells : most_tile_cells;
    const std::int64_t least = static_cast<std::int64_t>(tiles.storms) + vector_cells;
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

  std::span<const Pending> pending(std::size_t storms) const {
    return std::span(pending_).first(storms);
  }

  double cost(const CellRange& tile, std::size_t storms) const {
    double sum = 0;
    auto left = static_cast<std::int64_t>(storms);
    for (const Pending& storm : pending(storms)) {
      const std::int64_t cells = tile.widened(left--, part_.total).count();
      const auto impacts = static_cast<double>(storm.impacts.size());
      sum += storm.time < 1 ? cost_of_counted_cells(static_cast<double>(cells), impacts, storm.time,
                                                    static_cast<double>(most_counted_cells))
                            : cost_of_narrow_range(whole_vectors(cells), impacts);
    }
    return sum;
  }

  /// Cells of a gap. None exceeds `most`; 0: none is a peak.
  struct Row {
    CellRange cells;
    float most = 0;
    bool operator<(const Row& other) const { return most < other.most; }
  };
  /// The halves of a row; or if it is short, its peaks.
  struct LookedAt {
    Row halves[2];
    std::vector<CellValue> peaks;
  };

  static bool is_short(const Row& row) { return row.cells.count() <= vector_cells; }

  std::vector<LookedAt> look_at(const std::vector<Row>& rows, std::size_t storms,
                                double interactions) const {
    std::vector<LookedAt> all(rows.size());
    const int threads = interactions > interactions_for_a_team ? threads_ : 1;
    cpu::share_out(std::ssize(rows), threads, [&](const auto& each) {
      each([&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        all[at] = look_at(rows[at], storms);
      });
    });
    return all;
  }

  LookedAt look_at(const Row& row, std::size_t storms) const {
    const CellRange& cells = row.cells;
    LookedAt looked;
    if (is_short(row)) {
      std::vector<float> values(static_cast<std::size_t>(cells.count() + 2));
      compute({cells.widened(1, part_.total), storms, values.data()}, nullptr);
      looked.peaks = highest_peaks(std::span<const float>(values), cells.count());
      for (CellValue& peak : looked.peaks) peak.position += cells.begin - 1;
      return looked;
    }
    const std::int64_t middle = cells.begin + cells.count() / 2;
    looked.halves[0].cells = {cells.begin, middle};
    looked.halves[1].cells = {middle, cells.end};
    for (Row& half : looked.halves) {
      const std::int64_t margin = static_cast<std::int64_t>(storms) + 1;
      cpu::RowBounds bounds({half.cells.begin - margin, half.cells.end + margin});
      for (const Pending& storm : pending(storms)) {
        with_law(reaches_.rule(),
                 [&](const auto& rule) { bounds.add(rule, storm.impacts.items(0)); });
        bounds.relax();
      }
      if (bounds.may_have_peak()) half.most = bounds.most();
    }
    return looked;
  }

  void tabulate_divisors(double interactions) {
    const std::int64_t farthest =
        (counts() ? std::min(part_.total, farthest_counted_divisor) : part_.total) +
        divisors_beyond_the_layer;
    if (divisors_.farthest() < 0 && (counts() || part_.total <= most_cells_with_divisors) &&
        interactions > uses_of_an_entry * 2 * static_cast<double>(farthest)) {
      divisors_ = with_law(reaches_.rule(),
                           [&](const auto& rule) { return cpu::DivisorTable(rule.law, farthest); });
    }
  }

  void compute(const Piece& piece, cpu::CountingMemory* counting) const {
    auto left = static_cast<std::int64_t>(piece.storms);
    CellRange cells = piece.cells.widened(left, part_.total);
    std::vector<float> values(static_cast<std::size_t>(cells.count())), relaxed(values.size());
    if (const std::span<const float> known = direct_.held(); !known.empty()) {
      std::ranges::copy(slice(known, cells.counted_from(part_.held.begin)), values.begin());
    }
    std::span<float> here(values), next(relaxed);
    for (const Pending& storm : pending(piece.storms)) {
      add(storm, cells.begin, here, storm.time < 1 ? counting : nullptr);
      next.front() = here.front();
      next.back() = here.back();
      cpu::relax(here, next);
      const CellRange narrower = piece.cells.widened(--left, part_.total);
      const CellRange known = narrower.counted_from(cells.begin);
      here = std::exchange(next, slice(here, known));
      here = slice(here, known);
      cells = narrower;
    }
    std::ranges::copy(here, piece.after);
  }

  /// Update: adds the storm's shares to these cells.
  void add(const Pending& storm, std::int64_t first, std::span<float> cells,
           cpu::CountingMemory* counting) const {
    constexpr std::size_t impacts_without_a_stop = 1 << 14;
    for (std::span<const ScaledImpact> impacts = storm.impacts.items(0); !impacts.empty();) {
      StoppableWork::may_stop();
      const auto some = impacts.first(std::min(impacts.size(), impacts_without_a_stop));
      with_law(reaches_.rule(), [&](const auto& rule) {
        cpu::update(rule, some, storm.all_count, first, divisors_, cells, counting);
      });
      impacts = impacts.subspan(some.size());
    }
  }

  Part part_;
  EnergyScale energy_;
  Reaches reaches_;
  int threads_;
  CpuDirect direct_;
  std::vector<Pending> pending_;
  cpu::DivisorTable divisors_;
};

}  // namespace

std::unique_ptr<ExactLayer> make_exact_layer(const EngineOptions& options,
                                             const CountingCosts& counting) {
  return std::make_unique<CpuExactLayer>(options, counting);
}

}  // namespace bombard
