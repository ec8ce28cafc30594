#include "sim/engines/direct/cpu_direct.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <variant>

#include "kernels/base/host_memory.hpp"
#include "kernels/base/share_out.hpp"
#include "kernels/base/stoppable_work.hpp"
#include "kernels/counting/counting.hpp"
#include "kernels/layer/max_location.hpp"
#include "kernels/layer/relax.hpp"
#include "kernels/layer/update.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/engines.hpp"

namespace bombard {

namespace {

// Two buffers of a tile (16 KiB each) and its impacts (8 KiB) fit a first-level cache of 48 KiB.
constexpr std::int64_t widest_tile = 4096;
constexpr std::int64_t impacts_at_once = 512;
// Where impacts are counted, two buffers of a tile fit a second-level cache of 256 KiB.
constexpr std::int64_t widest_counted_tile = cpu::CountingMemory::most_cells;
// More storms in a batch save little memory traffic and cost margin: each storm takes a cell of
// margin on both sides. With 32 cells of tile per storm, both margins together are 1/16 of the
// tile.
constexpr std::int64_t most_storms_in_batch = 32;
constexpr std::int64_t widest_margin = most_storms_in_batch + 1;
constexpr std::int64_t tile_cells_for_a_storm = 32;
// Relaxation and maximum cost a cell about as much as this many impacts: measured on two cores with
// AVX-512.
constexpr double impacts_of_a_relaxation = 4;
// Below this a second thread costs more than it brings: 10 us at 2e10 interactions per second.
constexpr double interactions_for_threads = 2e5;
// Beyond this the table of divisors (8 bytes for each) leaves the third-level cache, and roots are
// computed as fast. An entry, a root, pays if it is used this often.
constexpr std::int64_t farthest_divisor = std::int64_t{1} << 22;
constexpr std::int64_t uses_of_a_divisor = 8;
// The last vector of a tile, at most 16 floats, looks beyond the last cell; 4 cache lines are
// enough.
constexpr std::int64_t divisors_beyond_the_last_cell = 64;

}  // namespace

/// How the cells held are shared out among `threads` threads: `count` tiles of `width` cells, the
/// last one with what is left. `most_storms` go through the tiles together.
struct CpuDirect::Tiles {
  Tiles(std::int64_t of_layer, int sharing, std::int64_t widest)
      : cells(of_layer),
        width(cpu::width_of_pieces(cells, sharing, widest)),
        count((cells + width - 1) / width),
        most_storms(
            std::clamp(width / tile_cells_for_a_storm, std::int64_t{1}, most_storms_in_batch)),
        threads(sharing) {
    if (count == 1) most_storms = std::numeric_limits<std::int64_t>::max();  // it needs no margin
  }

  CellRange tile(std::int64_t index) const {
    return {index * width, std::min(cells, (index + 1) * width)};
  }

  std::int64_t cells, width, count, most_storms;
  int threads;
};

namespace {

/// The layer around the borders of tiles, `margin` cells on either side. Tiles are written in
/// place, and their neighbours need what was there before.
class Borders {
 public:
  Borders(std::int64_t margin, std::int64_t borders)
      : margin_(margin), values_(static_cast<std::size_t>(2 * margin * borders)) {}

  /// The value of a cell, no more than `margin` away from this border, which is the one to the left
  /// of cell `middle`; those of the cells to the right of it follow.
  float* value(std::int64_t border, std::int64_t middle, std::int64_t cell) {
    return values_.data() + 2 * margin_ * border + margin_ + (cell - middle);
  }

 private:
  std::int64_t margin_;
  std::vector<float> values_;
};

/// Loads a tile's own cells from the layer, and its margin, which neighbours may have overwritten,
/// from what was saved.
void load_tile(const float* layer, std::int64_t index, const CellRange& own, const CellRange& wide,
               Borders& borders, float* tile) {
  tile = std::copy_n(borders.value(index, own.begin, wide.begin), own.begin - wide.begin, tile);
  tile = std::copy_n(layer + own.begin, own.count(), tile);
  std::copy_n(borders.value(index + 1, own.end, own.end), wide.end - own.end, tile);
}

}  // namespace

/// A storm, its reaches (none where every share counts), and whether it is counted.
struct CpuDirect::StormToAdd {
  std::span<const Impact> whole;
  std::vector<std::int64_t> reaches;
  bool is_counted;
  std::optional<std::vector<Impact>> reaching = {};  ///< the impacts, once others are left out

  std::span<const Impact> impacts() const { return reaching ? *reaching : whole; }

  /// Leaves out the impacts that count in none of these cells: every tile would examine them.
  void leave_out_others(const CellRange& cells) {
    reaching.emplace();
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (!reaches_cells(reaches[i], whole[i].position - cells.begin, cells.count())) continue;
      reaches[reaching->size()] = reaches[i];
      reaching->push_back(whole[i]);
    }
    reaches.resize(reaching->size());
  }
};

/// What a thread works on.
struct CpuDirect::Workspace {
  Workspace(std::int64_t cells, std::size_t storms)
      : tile(static_cast<std::size_t>(cells)), relaxed(tile.size()), maxima(storms) {
    impacts.reserve(impacts_at_once);
  }

  std::vector<float> tile, relaxed;
  std::vector<ScaledImpact> impacts;              ///< those that reach the tile
  std::unique_ptr<cpu::CountingMemory> counting;  ///< from the first storm that is counted on
  std::vector<Maximum> maxima;                    ///< of the tiles done so far, one for each storm
};

CpuDirect::CpuDirect(const EngineOptions& options, const CountingCosts& counting)
    : part_(with_margin(options.part, options.storms)),
      energy_(energy_scale(options.rule, part_.total)),
      reaches_(layer_rule(options.rule, part_.total)),
      storms_(options.storms),
      storms_left_(options.storms),
      keep_layer_(options.keep_layer),
      counting_(counting),
      threads_(thread_count(options)) {}

std::int64_t CpuDirect::bytes(const EngineOptions& options) {
  const CellRange held = with_margin(options.part, options.storms).held;
  const std::int64_t cells = held.count();
  const bool stored = options.keep_layer || options.storms > 1;  // they may come one by one
  const std::int64_t borders = 2 * (most_storms_in_batch + 1) * (cells / widest_tile + 1);
  const std::int64_t values = 2 * farthest_divisor + (stored ? cells + borders : 0);
  // All impacts may belong to one storm, and all of them may come before a storm: both make
  // counting faster.
  const bool may_count = options.rule.attenuation == square_root_attenuation &&
                         time_of_counting(static_cast<double>(options.part.total),
                                          static_cast<double>(options.impacts),
                                          static_cast<double>(options.impacts)) < 1;
  const std::size_t counting = may_count ? sizeof(cpu::CountingMemory) : 0;
  // Where shares may end, impacts have reaches, and those that reach the cells are copied.
  const std::int64_t total = options.part.total;
  const StormExtent any_inside{.impacts = 1, .lowest = 0, .highest = total - 1, .weakest = 1};
  const bool may_end = !every_share_counts(layer_rule(options.rule, total), any_inside, held);
  const std::size_t of_impact = may_end ? sizeof(std::int64_t) + sizeof(Impact) : 0;
  return values * static_cast<std::int64_t>(sizeof(float)) +
         options.impacts * static_cast<std::int64_t>(of_impact) +
         thread_count(options) * static_cast<std::int64_t>(counting);
}

Maximum CpuDirect::apply(const StormView& storm) {
  return apply_storms({&storm, 1}).front();
}

std::vector<Maximum> CpuDirect::apply_storms(std::span<const StormView> storms) {
  std::vector<StormToAdd> added;
  StormExtent extent;
  bool counts = false;
  double impacts = 0;
  for (const StormView& storm : storms) {
    added.push_back({storm.impacts, reaches_.of(storm, part_.held), time_of(storm) < 1});
    const bool all_inside = part_.held.contains({storm.extent.lowest, storm.extent.highest + 1});
    if (!added.back().reaches.empty() && !all_inside) added.back().leave_out_others(part_.held);
    impacts_applied_ += static_cast<double>(storm.impacts.size());
    counts |= added.back().is_counted;
    extent = extent + storm.extent;
    impacts += static_cast<double>(storm.impacts.size()) + impacts_of_a_relaxation;
  }
  tabulate_divisors(extent);
  const std::int64_t cells = part_.held.count();
  const std::int64_t widest = counts ? widest_counted_tile - 2 * widest_margin : widest_tile;
  Tiles tiles(cells, threads_, widest);
  const double batches =
      std::ceil(static_cast<double>(storms.size()) / static_cast<double>(tiles.most_storms));
  if (impacts * static_cast<double>(cells) < batches * interactions_for_threads) {
    tiles = Tiles(cells, 1, widest);
  }
  std::vector<Maximum> maxima(storms.size());
  std::span<const StormToAdd> left = added;
  while (!left.empty()) {
    const auto batch =
        left.first(std::min(left.size(), static_cast<std::size_t>(tiles.most_storms)));
    apply_batch(batch, tiles, std::span(maxima).last(left.size()).first(batch.size()));
    left = left.subspan(batch.size());
  }
  return maxima;
}

void CpuDirect::reset() {
  storms_left_ = storms_;
  impacts_applied_ = 0;
  zero_ = true;
}

void CpuDirect::begin_with(const LayerView& held) {
  make_layer();
  std::ranges::copy(std::get<std::span<const float>>(held), layer_.data());
  zero_ = false;
}

Layer CpuDirect::layer() const {
  if (zero_) return std::vector<float>(static_cast<std::size_t>(part_.own.count()));
  const auto own = slice(layer_.span(), part_.own_among_held());
  return std::vector<float>(own.begin(), own.end());
}

/// Extends the table as far as storms of this extent need and the limit allows, if they will use
/// each of its entries several times.
void CpuDirect::tabulate_divisors(const StormExtent& storms) {
  const std::int64_t farthest =
      std::min(farthest_divisor,
               std::max(storms.highest - part_.held.begin, part_.held.end - 1 - storms.lowest)) +
      divisors_beyond_the_last_cell;
  const std::int64_t entries = 2 * farthest + 1;
  if (farthest > table_.farthest() &&
      storms.impacts >= uses_of_a_divisor * entries / std::min(part_.held.count(), entries)) {
    table_ = cpu::DivisorTable();
    table_ = with_law(reaches_.rule(),
                      [&](const auto& rule) { return cpu::DivisorTable(rule.law, farthest); });
  }
}

double CpuDirect::time_of(const StormView& storm) {
  if (!std::holds_alternative<LayerRule<SquareRootLaw>>(reaches_.rule())) return 1;
  const auto cells = static_cast<double>(part_.total);
  const auto impacts = static_cast<double>(storm.impacts.size());
  double time = time_of_counting(cells, impacts, impacts_applied_, counting_);
  if (time >= 1) return 1;
  // Where energies of both signs cancel, sums do not stay in a binade.
  double sum = 0, magnitudes = 0;
  for (const Impact& impact : storm.impacts) {
    sum += impact.energy;
    magnitudes += std::abs(static_cast<double>(impact.energy));
  }
  if (std::abs(sum) < magnitudes / 2) return 1;
  if (!every_share_counts(reaches_.rule(), storm.extent, part_.held)) {
    // A cell sees a layer as wide as the impacts reach.
    double reached = 0;
    for (const Impact& impact : storm.impacts) {
      reached += std::min(2 * static_cast<double>(reaches_.of(impact.energy)), cells);
    }
    time = time_of_counting(reached / impacts, reached / cells,
                            impacts_applied_ * reached / impacts / cells, counting_);
  }
  return std::min(time, 1.0);
}

void CpuDirect::apply_batch(std::span<const StormToAdd> storms, const Tiles& tiles,
                            std::span<Maximum> maxima) {
  double impacts = 0;
  for (const StormToAdd& storm : storms) impacts += static_cast<double>(storm.impacts().size());
  const auto margin = static_cast<std::int64_t>(storms.size()) + 1;
  storms_left_ -= static_cast<std::int64_t>(storms.size());
  const bool load = !zero_;
  const bool store = keep_layer_ || storms_left_ > 0;
  if (store) make_layer();
  Borders borders(margin, load ? tiles.count + 1 : 0);
  cpu::share_out(load ? tiles.count - 1 : 0, tiles.threads, [&](const auto& each) {
    each([&](std::int64_t i) {
      const std::int64_t border = i + 1, middle = border * tiles.width;
      const CellRange around = CellRange{middle, middle}.widened(margin, tiles.cells);
      std::copy_n(layer_.data() + around.begin, around.count(),
                  borders.value(border, middle, around.begin));
    });
  });
  std::mutex adding;
  cpu::share_out(tiles.count, tiles.threads, [&](const auto& each) {
    Workspace work(tiles.width + 2 * margin, storms.size());
    each([&](std::int64_t index) {
      const CellRange own = tiles.tile(index);
      const CellRange wide = own.widened(margin, tiles.cells);
      if (load) {
        load_tile(layer_.data(), index, own, wide, borders, work.tile.data());
      } else {
        std::fill_n(work.tile.data(), wide.count(), 0.0F);
      }
      for (std::size_t storm = 0; storm < storms.size(); ++storm) {
        add_storm(storms[storm], wide, work);
        relax_and_locate(own, wide, work, work.maxima[storm]);
      }
      if (store) {
        std::copy_n(work.tile.data() + (own.begin - wide.begin), own.count(),
                    layer_.data() + own.begin);
      }
      StoppableWork::may_stop(impacts * static_cast<double>(own.count()));
    });
    const std::scoped_lock lock(adding);
    std::ranges::transform(maxima, work.maxima, maxima.begin(), larger);
  });
  zero_ = zero_ && !store;
}

void CpuDirect::make_layer() {
  if (!layer_.empty()) return;
  const std::int64_t cells = part_.held.count();
  require_host_memory(cells * static_cast<std::int64_t>(sizeof(float)), "the layer");
  layer_ = HostArray<float>(cells);
}

/// Adds a storm to the tile, except the impacts that do not reach it.
void CpuDirect::add_storm(const StormToAdd& storm, const CellRange& wide, Workspace& work) const {
  const std::int64_t first = part_.held.begin + wide.begin;
  const std::span tile(work.tile.data(), static_cast<std::size_t>(wide.count()));
  if (storm.is_counted && !work.counting) work.counting = std::make_unique<cpu::CountingMemory>();
  cpu::CountingMemory* const memory = storm.is_counted ? work.counting.get() : nullptr;
  const std::size_t most = storm.is_counted ? cpu::OpenImpacts::most : impacts_at_once;
  const bool all_count = storm.reaches.empty();
  const auto add_those = [&] {
    with_law(reaches_.rule(), [&](const auto& rule) {
      cpu::update(rule, work.impacts, all_count, first, table_, tile, memory);
    });
    work.impacts.clear();
    StoppableWork::may_stop();
  };
  const std::span<const Impact> impacts = storm.impacts();
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    const Impact& impact = impacts[i];
    const std::int64_t reach = all_count ? reaches_everywhere : storm.reaches[i];
    if (!reaches_cells(reach, impact.position - first, wide.count())) continue;
    work.impacts.push_back(scaled(energy_, impact, reach_of_impact(reach)));
    if (work.impacts.size() == most) add_those();
  }
  add_those();
}

/// Relaxes the tile after a storm, and takes its largest peak if it is larger than `maximum`.
void CpuDirect::relax_and_locate(const CellRange& own, const CellRange& wide, Workspace& work,
                                 Maximum& maximum) const {
  const auto cells = static_cast<std::size_t>(wide.count());
  const std::span tile(work.tile.data(), cells);
  const std::span relaxed(work.relaxed.data(), cells);
  relaxed.front() = tile.front();
  relaxed.back() = tile.back();
  cpu::relax(tile, relaxed);
  std::swap(work.tile, work.relaxed);

  const CellRange counted = own.common(part_.own_among_held());
  if (counted.count() <= 0) return;
  const CellRange seen = counted.widened(1, part_.held.count());
  const IndexedValue peak =
      cpu::max_location(slice(std::span<const float>(relaxed), seen.counted_from(wide.begin)));
  if (peak.value > 0.0F) {
    maximum = larger(maximum, {part_.held.begin + seen.begin + peak.index, peak.value});
  }
}

std::unique_ptr<Engine> make_cpu_direct(const EngineOptions& options) {
  return std::make_unique<CpuDirect>(options);
}

}  // namespace bombard
