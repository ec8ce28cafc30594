#include "sim/engines/direct/cpu_direct.hpp"

#include <algorithm>
#include <cmath>
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

// A tile needs a cell beyond each end for the relaxation, and another one for the comparison with
// the neighbours.
constexpr std::int64_t margin = 2;
// Two buffers of a tile (16 KiB each) and its impacts (8 KiB) fit a first-level cache of 48 KiB.
constexpr std::int64_t widest_tile = 4096 - 2 * margin;
constexpr std::int64_t impacts_at_once = 512;
// Where impacts are counted, two buffers of a tile fit a second-level cache of 256 KiB.
constexpr std::int64_t widest_counted_tile = cpu::CountingMemory::most_cells - 2 * margin;
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

/// The layer around the borders of tiles of `width` cells, as it was before a storm: tiles are
/// written in place, and their neighbours need what was there.
class Borders {
 public:
  Borders(const HostArray<float>& layer, std::int64_t width, std::int64_t tiles)
      : values_(static_cast<std::size_t>(2 * margin * (tiles + 1))) {
    for (std::int64_t border = 1; border < tiles; ++border) {
      const std::int64_t middle = border * width;
      const CellRange around = CellRange{middle, middle}.widened(margin, layer.size());
      std::copy_n(layer.data() + around.begin, around.count(),
                  right_of(border) - (middle - around.begin));
    }
  }

  /// The value of the first cell of tile `border`; those of its neighbours, up to `margin` cells on
  /// each side of the border, lie around it.
  float* right_of(std::int64_t border) { return values_.data() + 2 * margin * border + margin; }

 private:
  std::vector<float> values_;
};

/// Loads a tile: its own cells from the layer, and its margin from what was saved.
void load_tile(const float* layer, std::int64_t index, const CellRange& own, const CellRange& wide,
               Borders& borders, float* tile) {
  const std::int64_t before = own.begin - wide.begin;
  tile = std::copy_n(borders.right_of(index) - before, before, tile);
  tile = std::copy_n(layer + own.begin, own.count(), tile);
  std::copy_n(borders.right_of(index + 1), wide.end - own.end, tile);
}

}  // namespace

/// What a thread works on.
struct CpuDirect::Workspace {
  Workspace(std::int64_t cells, bool is_counted)
      : tile(static_cast<std::size_t>(cells)), relaxed(tile.size()) {
    if (is_counted) counting = std::make_unique<cpu::CountingMemory>();
  }

  std::vector<float> tile, relaxed;
  std::vector<ScaledImpact> impacts;              ///< those that are added next
  std::unique_ptr<cpu::CountingMemory> counting;  ///< null: impacts are added one by one
  Maximum maximum;                                ///< of the tiles done so far
};

CpuDirect::CpuDirect(const EngineOptions& options, const CountingCosts& counting)
    : part_(with_margin(options.part, options.storms)),
      rule_(layer_rule(options.rule, part_.total)),
      storms_(options.storms),
      storms_left_(options.storms),
      keep_layer_(options.keep_layer),
      counting_(counting),
      threads_(thread_count(options)) {}

std::int64_t CpuDirect::bytes(const EngineOptions& options) {
  const std::int64_t cells = with_margin(options.part, options.storms).held.count();
  const bool stored = options.keep_layer || options.storms > 1;
  const std::int64_t borders = 2 * margin * (cells / widest_tile + 1);
  const std::int64_t values = 2 * farthest_divisor + (stored ? cells + borders : 0);
  // All impacts may belong to one storm, and all of them may come before a storm: both make
  // counting faster.
  const bool may_count = time_of_counting(static_cast<double>(options.part.total),
                                          static_cast<double>(options.impacts),
                                          static_cast<double>(options.impacts)) < 1;
  const std::size_t counting = may_count ? sizeof(cpu::CountingMemory) : 0;
  return values * static_cast<std::int64_t>(sizeof(float)) +
         thread_count(options) * static_cast<std::int64_t>(counting);
}

Maximum CpuDirect::apply(const StormView& storm) {
  const bool all_count = every_share_counts(rule_, storm.extent, part_.held);
  const bool is_counted =
      all_count && time_of_counting(storm, part_.total, impacts_applied_, counting_) < 1;
  const auto impacts = static_cast<double>(storm.impacts.size());
  impacts_applied_ += impacts;
  --storms_left_;
  tabulate_divisors(storm.extent);

  const std::int64_t cells = part_.held.count();
  const bool is_small =
      (impacts + impacts_of_a_relaxation) * static_cast<double>(cells) < interactions_for_threads;
  const int threads = is_small ? 1 : threads_;
  const std::int64_t width =
      cpu::width_of_pieces(cells, threads, is_counted ? widest_counted_tile : widest_tile);
  const std::int64_t tiles = (cells + width - 1) / width;  // the last one has what is left
  const bool store = keep_layer_ || storms_left_ > 0;
  if (store) make_layer();
  std::optional<Borders> borders;
  if (!zero_) borders.emplace(layer_, width, tiles);

  Maximum maximum;
  std::mutex adding;
  cpu::share_out(tiles, threads, [&](const auto& each) {
    Workspace work(width + 2 * margin, is_counted);
    each([&](std::int64_t index) {
      const CellRange own{index * width, std::min(cells, (index + 1) * width)};
      const CellRange wide = own.widened(margin, cells);
      if (borders) {
        load_tile(layer_.data(), index, own, wide, *borders, work.tile.data());
      } else {
        std::fill_n(work.tile.data(), wide.count(), 0.0F);
      }
      add_storm(storm.impacts, all_count, wide, work);
      relax_and_locate(own, wide, work);
      if (store) {
        std::copy_n(work.tile.data() + (own.begin - wide.begin), own.count(),
                    layer_.data() + own.begin);
      }
      StoppableWork::may_stop(impacts * static_cast<double>(own.count()));
    });
    const std::scoped_lock lock(adding);
    maximum = larger(maximum, work.maximum);
  });
  zero_ = zero_ && !store;
  return maximum;
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
  return own_cells<float>(layer_.span(), part_);
}

/// Extends the table as far as a storm of this extent needs and the limit allows, if it will use
/// each of its entries several times.
void CpuDirect::tabulate_divisors(const StormExtent& storm) {
  const std::int64_t farthest =
      std::min(farthest_divisor,
               std::max(storm.highest - part_.held.begin, part_.held.end - 1 - storm.lowest)) +
      divisors_beyond_the_last_cell;
  const std::int64_t entries = 2 * farthest + 1;
  if (farthest > table_.farthest() &&
      storm.impacts >= uses_of_a_divisor * entries / std::min(part_.held.count(), entries)) {
    table_ = cpu::DivisorTable();
    table_ = cpu::DivisorTable(farthest);
  }
}

void CpuDirect::make_layer() {
  if (!layer_.empty()) return;
  const std::int64_t cells = part_.held.count();
  require_host_memory(cells * static_cast<std::int64_t>(sizeof(float)), "the layer");
  layer_ = HostArray<float>(cells);
}

/// Adds a storm to the tile.
void CpuDirect::add_storm(std::span<const Impact> impacts, bool all_count, const CellRange& wide,
                          Workspace& work) const {
  const std::int64_t first = part_.held.begin + wide.begin;
  const std::span tile(work.tile.data(), static_cast<std::size_t>(wide.count()));
  const std::size_t most = work.counting ? cpu::OpenImpacts::most : impacts_at_once;
  for (std::span<const Impact> left = impacts; !left.empty();) {
    const auto some = left.first(std::min(left.size(), most));
    work.impacts.clear();
    for (const Impact& impact : some) work.impacts.push_back(scaled(rule_.energy, impact));
    if (work.counting) {
      cpu::update_by_counting(rule_, work.impacts, first, table_, tile, *work.counting);
    } else {
      cpu::update(rule_, work.impacts, all_count, first, table_, tile);
    }
    StoppableWork::may_stop();
    left = left.subspan(some.size());
  }
}

/// Relaxes the tile after a storm, and takes its highest peak.
void CpuDirect::relax_and_locate(const CellRange& own, const CellRange& wide,
                                 Workspace& work) const {
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
  work.maximum = larger(work.maximum, maximum_of(peak, part_.held.begin + seen.begin));
}

std::unique_ptr<Engine> make_cpu_direct(const EngineOptions& options) {
  return std::make_unique<CpuDirect>(options);
}

}  // namespace bombard
