// The exact layer on a GPU: CudaDirect has it as a whole, and the rule is computed in tiles of it.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/base/profiling_range.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/storm_tiles.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/direct/cuda_direct.hpp"
#include "sim/engines/reaches.hpp"
#include "sim/engines/screened/cuda_layer.hpp"
#include "sim/engines/screened/tile_plan.hpp"

namespace bombard {

namespace {

class CudaExactLayer final : public ExactLayer {
 public:
  CudaExactLayer(const EngineOptions& options, std::shared_ptr<DeviceStorms> pending)
      : part_(with_margin(options.part, options.storms)),
        rule_(layer_rule(options.rule, part_.total)),
        pending_(std::move(pending)),
        direct_(options) {}

  void reset() override { direct_.reset(); }
  void begin_with(const LayerView& held) override { direct_.begin_with(held); }

  void give_to(ScreenedLayer& layer) const override {
    std::vector<float> held(direct_.held().size());
    if (!held.empty()) {
      cuda::copy_to_host(direct_.held().data(), held.data(),
                         static_cast<std::int64_t>(direct_.held().size_bytes()));
    }
    layer.begin_with(std::span<const float>(held));
  }

  double cost_directly(const StormView& storm) override {
    return cost_of_direct_storm_on_gpu(static_cast<double>(part_.held.count()),
                                       static_cast<double>(storm.impacts.size()),
                                       direct_.time_of(storm));
  }

  /// The screened layer adds it to the pending ones.
  void add(const StormView&, bool /*last*/) override {}

  Tiles tiles(const std::vector<CellRange>& ranges) const override {
    return {ranges, tile_cost * interactions(plan(ranges), pending_->ends())};
  }

  std::vector<float> values(const Tiles& tiles) override {
    const ProfilingRange range("confirm");
    const std::vector<TileRound> rounds = plan(tiles.ranges);
    std::vector<CellTile> all_tiles;
    for (const TileRound& round : rounds) {
      for (CellTile tile : round.tiles) {
        if (tile.before < 0 && !direct_.held().empty()) tile.before = tile.first - part_.held.begin;
        all_tiles.push_back(tile);
      }
    }
    tiles_.at_least(static_cast<std::int64_t>(all_tiles.size()));
    tiles_.copy_from(all_tiles);
    std::span<const CellTile> of_rounds = std::as_const(tiles_).span();
    std::span<const float> before = direct_.held();
    for (const TileRound& round : rounds) {
      after_.at_least(round.values);
      launch(round, of_rounds.first(round.tiles.size()), before);
      of_rounds = of_rounds.subspan(round.tiles.size());
      std::swap(before_, after_);
      before = std::as_const(before_).span();
    }
    const TileRound& last = rounds.back();
    std::vector<float> left(static_cast<std::size_t>(last.values)), values;
    before_.copy_to(left);
    for (const CellRange& wanted : tiles.ranges) {
      const auto at = left.begin() + number_of(last.ranges, wanted.begin);
      values.insert(values.end(), at, at + wanted.count());
    }
    return values;
  }

  /// More take longer to plan, or to compute, than a look at the best ones first.
  std::size_t few_candidates() const override {
    const double of_candidate = static_cast<double>(CellTile::most_cells) *
                                std::max(1.0, static_cast<double>(pending_->ends().back()));
    return static_cast<std::size_t>(
        std::min(most_candidates_to_plan, most_interactions_of_candidates / of_candidate));
  }
  double least_cost_of_cell() const override {
    return tile_cost * std::max(1.0, static_cast<double>(pending_->ends().back()));
  }

  std::vector<Maximum> apply(std::span<const StormView> storms) override {
    return direct_.apply(storms);
  }
  Layer layer() const override { return direct_.layer(); }

 private:
  std::vector<TileRound> plan(const std::vector<CellRange>& ranges) const {
    return plan_tiles(ranges, pending_->ends().size(), part_.total, tiles_at_once_);
  }

  /// Queues a round, which goes on from the values `before`.
  void launch(const TileRound& round, std::span<const CellTile> tiles,
              std::span<const float> before) {
    const std::span<const std::int64_t> all_ends = pending_->ends();
    const std::int64_t begin = round.first_storm == 0 ? 0 : all_ends[round.first_storm - 1];
    std::vector<std::int64_t> ends;
    for (const std::int64_t end : all_ends.subspan(round.first_storm, round.storms)) {
      ends.push_back(end - begin);
    }
    const TileStorms storms{.impacts = pending_->impacts().subspan(static_cast<std::size_t>(begin)),
                            .ends = ends,
                            .layer_cells = part_.total,
                            .all_count = every_share_counts(rule_, pending_->extent(), part_.held)};
    with_law(rule_, [&](const auto& rule) {
      cuda::apply_to_tiles(rule, storms, tiles, before, after_.span());
    });
  }

  Part part_;
  AnyLayerRule rule_;
  std::int64_t tiles_at_once_ =
      with_law(rule_, []<class Law>(const LayerRule<Law>&) { return cuda::tiles_at_once<Law>(); });
  std::shared_ptr<DeviceStorms> pending_;
  CudaDirect direct_;
  cuda::DeviceArray<CellTile> tiles_;
  cuda::DeviceArray<float> before_, after_;
};

}  // namespace

std::unique_ptr<ExactLayer> make_cuda_exact_layer(const EngineOptions& options,
                                                  std::shared_ptr<DeviceStorms> pending) {
  return std::make_unique<CudaExactLayer>(options, std::move(pending));
}

}  // namespace bombard
