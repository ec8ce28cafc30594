// Every interaction, storms fused: a tile of cells with a margin goes through all storms of a batch
// while it is in the first-level cache, and the layer in memory is read and written once a batch.
// Each relaxation, and the comparison with the neighbours, spoil one cell of the margin.

#include <algorithm>

#include "kernels/base/host_array.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/layer/attenuation.hpp"
#include "kernels/layer/divisor_table.hpp"
#include "kernels/layer/initialise.hpp"
#include "kernels/layer/max_location.hpp"
#include "kernels/layer/relax.hpp"
#include "kernels/layer/update.hpp"
#include "sim/engines/engines.hpp"

namespace bombard {

namespace {

// Two buffers of a tile and its impacts fit the first-level cache.
constexpr std::int64_t widest_tile = 4096;
constexpr std::int64_t impacts_at_once = 512;
// More storms in a batch save little memory traffic and cost margin.
constexpr std::int64_t most_storms_in_batch = 32;
// Relaxation and maximum cost a cell about as much as this many impacts.
constexpr double impacts_of_a_relaxation = 4;
// Below this a second thread costs more than it brings.
constexpr double interactions_for_threads = 2e5;
// Beyond this the table of divisors leaves the third-level cache, and roots are computed as fast.
constexpr std::int64_t largest_reach = std::int64_t{1} << 22;

/// Cells begin .. end-1 of those that the engine holds.
struct Range {
  std::int64_t begin, end;
  std::int64_t count() const { return end - begin; }
  Range widened(std::int64_t margin, std::int64_t cells) const {
    return {std::max<std::int64_t>(0, begin - margin), std::min(cells, end + margin)};
  }
};

/// How the cells are shared out: `count` tiles of `width` cells, the last one with what is left.
struct Tiling {
  std::int64_t cells, width, count;
  Range tile(std::int64_t index) const {
    return {index * width, std::min(cells, (index + 1) * width)};
  }
};

/// As many tiles as keep all threads busy; narrow ones for a small layer.
Tiling tiling(std::int64_t cells, int threads) {
  std::int64_t count = (cells + widest_tile - 1) / widest_tile;
  count = std::min((count + threads - 1) / threads * threads, cells);
  const std::int64_t width = (cells + count - 1) / count;
  return {cells, width, (cells + width - 1) / width};
}

template <class Law>
class CpuDirect final : public Engine {
 public:
  explicit CpuDirect(const EngineOptions& options)
      : part_(options.part),
        held_(with_margin(options.part, options.storms)),
        storms_(options.storms),
        storms_left_(options.storms),
        keep_layer_(options.keep_layer),
        smallest_(smallest_share(options.threshold, options.part.total)),
        threads_(thread_count(options)) {}

  std::vector<Maximum> apply(std::span<const Storm> storms) override {
    tabulate_divisors(storms);
    double impacts = 0;
    for (const Storm& storm : storms) {
      impacts += static_cast<double>(storm.impacts.size()) + impacts_of_a_relaxation;
    }
    const double interactions = impacts * static_cast<double>(held_.count);
    const int threads = interactions < interactions_for_threads ? 1 : threads_;
    const Tiling tiles = tiling(held_.count, threads);
    // A margin of at most a sixteenth of the tile; a layer of one tile needs none.
    const std::size_t at_once = tiles.count == 1
                                    ? storms.size()
                                    : static_cast<std::size_t>(std::clamp(
                                          tiles.width / 32, std::int64_t{1}, most_storms_in_batch));
    std::vector<Maximum> maxima(storms.size());
    for (std::size_t done = 0; done < storms.size(); done += at_once) {
      const std::size_t count = std::min(at_once, storms.size() - done);
      apply_batch(storms.subspan(done, count), tiles, threads,
                  std::span(maxima).subspan(done, count));
    }
    return maxima;
  }

  void reset() override {
    storms_left_ = storms_;
    layer_ = HostArray<float>();
  }

  std::vector<float> layer() const override {
    if (layer_.empty()) return std::vector<float>(static_cast<std::size_t>(part_.count), 0.0F);
    const float* own = layer_.data() + held_.offset;
    return {own, own + part_.count};
  }

 private:
  /// What a thread works on.
  struct Workspace {
    std::vector<float> tile, relaxed;
    std::vector<ScaledImpact> impacts;
    std::vector<Maximum> maxima;  ///< of the tiles done so far, one a storm
  };

  /// Makes the table reach as far as these storms need and the limit allows, when they will use
  /// each of its entries several times.
  void tabulate_divisors(std::span<const Storm> storms) {
    const std::int64_t last = held_.first + held_.count - 1;
    std::int64_t reach = 0, users = 0;
    for (const Storm& storm : storms) {
      for (const Impact& impact : storm.impacts) {
        const std::int64_t left = impact.position - held_.first;
        const std::int64_t right = last - impact.position;
        if (std::min(left, right) < -largest_reach) continue;
        reach = std::max({reach, std::min(left, largest_reach), std::min(right, largest_reach)});
        ++users;
      }
    }
    reach += 64;  // the last vector of a tile may look beyond the last cell
    const std::int64_t entries = 2 * reach + 1;
    if (reach > table_.reach() && users >= 8 * entries / std::min(held_.count, entries)) {
      table_ = cpu::DivisorTable<Law>();
      table_ = cpu::DivisorTable<Law>(reach);
    }
  }

  void apply_batch(std::span<const Storm> storms, const Tiling& tiles, int threads,
                   std::span<Maximum> maxima) {
    const auto margin = static_cast<std::int64_t>(storms.size()) + 1;
    storms_left_ -= static_cast<std::int64_t>(storms.size());
    const bool load = !layer_.empty();
    const bool store = keep_layer_ || storms_left_ > 0;
    if (store && !load) {
      require_host_memory(held_.count * static_cast<std::int64_t>(sizeof(float)), "the layer");
      layer_ = HostArray<float>(held_.count);
    }
    // Tiles are written in place: what lies around each border is saved for the neighbours first.
    std::vector<float> borders;
    if (load) borders.resize(static_cast<std::size_t>(2 * margin * (tiles.count + 1)));
    const auto border = [&](std::int64_t index) { return borders.data() + 2 * margin * index; };

#pragma omp parallel num_threads(threads)
    {
      if (load) {
#pragma omp for
        for (std::int64_t index = 1; index < tiles.count; ++index) {
          const std::int64_t middle = index * tiles.width;
          const Range around = Range{middle, middle}.widened(margin, tiles.cells);
          std::copy(layer_.data() + around.begin, layer_.data() + around.end,
                    border(index) + around.begin - (middle - margin));
        }
      }
      Workspace work;
      work.tile.resize(static_cast<std::size_t>(tiles.width + 2 * margin));
      work.relaxed.resize(work.tile.size());
      work.impacts.resize(impacts_at_once);
      work.maxima.resize(storms.size());
#pragma omp for schedule(dynamic)
      for (std::int64_t index = 0; index < tiles.count; ++index) {
        const Range own = tiles.tile(index);
        const Range wide = own.widened(margin, tiles.cells);
        float* const tile = work.tile.data();
        if (load) {
          std::copy(border(index) + wide.begin - (own.begin - margin), border(index) + margin,
                    tile);
          std::copy(layer_.data() + own.begin, layer_.data() + own.end,
                    tile + own.begin - wide.begin);
          std::copy(border(index + 1) + margin, border(index + 1) + margin + wide.end - own.end,
                    tile + own.end - wide.begin);
        } else {
          cpu::initialise(0.0F, {tile, static_cast<std::size_t>(wide.count())});
        }
        for (std::size_t storm = 0; storm < storms.size(); ++storm) {
          apply_storm(storms[storm], own, wide, work, work.maxima[storm]);
        }
        if (store) {
          const float* const result = work.tile.data() + own.begin - wide.begin;
          std::copy(result, result + own.count(), layer_.data() + own.begin);
        }
      }
#pragma omp critical
      for (std::size_t storm = 0; storm < storms.size(); ++storm) {
        maxima[storm] = larger(maxima[storm], work.maxima[storm]);
      }
    }
  }

  /// One storm on the tile: update, relax, and its largest peak if it is larger than `maximum`.
  void apply_storm(const Storm& storm, const Range& own, const Range& wide, Workspace& work,
                   Maximum& maximum) const {
    const auto cells = static_cast<std::size_t>(wide.count());
    const std::span tile(work.tile.data(), cells);
    for (std::span<const Impact> rest = storm.impacts; !rest.empty();) {
      const auto some = rest.first(std::min<std::size_t>(impacts_at_once, rest.size()));
      std::ranges::transform(some, work.impacts.begin(), [&](const Impact& impact) {
        return ScaledImpact{impact.position, scaled_energy(impact.energy, part_.total)};
      });
      cpu::update<Law>(std::span(work.impacts).first(some.size()), smallest_,
                       held_.first + wide.begin, table_, tile);
      rest = rest.subspan(some.size());
    }

    const std::span relaxed(work.relaxed.data(), cells);
    relaxed.front() = tile.front();
    relaxed.back() = tile.back();
    cpu::relax(tile, relaxed);
    std::swap(work.tile, work.relaxed);

    const Range counted{std::max(own.begin, held_.offset),
                        std::min(own.end, held_.offset + part_.count)};
    if (counted.count() <= 0) return;
    const Range seen = counted.widened(1, held_.count);
    const IndexedValue peak = cpu::max_location(relaxed.subspan(
        static_cast<std::size_t>(seen.begin - wide.begin), static_cast<std::size_t>(seen.count())));
    if (peak.value > 0.0F) {
      maximum = larger(maximum, {held_.first + seen.begin + peak.index, peak.value});
    }
  }

  Part part_;
  PartWithMargin held_;
  std::int64_t storms_, storms_left_;
  bool keep_layer_;
  float smallest_;
  int threads_;
  cpu::DivisorTable<Law> table_;
  /// Of the cells held; empty while it is 0 everywhere or nobody needs it.
  HostArray<float> layer_;
};

}  // namespace

std::unique_ptr<Engine> make_cpu_direct(const EngineOptions& options) {
  const std::int64_t cells = with_margin(options.part, options.storms).count;
  const bool stored = options.keep_layer || options.storms > most_storms_in_batch;
  const std::int64_t borders = 2 * (most_storms_in_batch + 1) * (cells / widest_tile + 1);
  const std::int64_t values = 2 * largest_reach + (stored ? cells + borders : 0);
  require_host_memory(values * static_cast<std::int64_t>(sizeof(float)), "cpu_direct");
  return std::make_unique<CpuDirect<SquareRootLaw>>(options);
}

}  // namespace bombard
