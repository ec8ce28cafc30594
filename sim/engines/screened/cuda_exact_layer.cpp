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

  Engine& whole() override { return direct_; }
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
                                       static_cast<double>(storm.impacts.size()));
  }

  /// The screened layer adds it to the pending ones.
  void add(const StormView&, bool /*last*/) override {}
  void forget() override { pending_->clear(); }

  Tiles tiles(const std::vector<CellRange>& ranges, std::size_t storms) const override {
    return {ranges, storms, tile_cost * interactions(plan(ranges, storms, 1), pending_->ends())};
  }

  /// A round of all of them is one launch: the impacts of a storm are added one after another, 50
  /// us for 20000, but all tiles at the same time. Each round leaves its values behind those of the
  /// rounds before.
  std::vector<std::vector<float>> values(std::span<const Tiles> several) override {
    const ProfilingRange range("confirm");
    std::vector<std::vector<TileRound>> plans;
    std::size_t rounds = 0;
    for (const Tiles& tiles : several) {
      plans.push_back(plan(tiles.ranges, tiles.storms, std::ssize(several)));
      rounds = std::max(rounds, plans.back().size());
    }
    std::vector<CellTile> all_tiles;
    std::vector<std::size_t> ends;  // of each round among them
    // Where the values of each plan's last round so far begin.
    std::vector<std::int64_t> begins(several.size());
    std::int64_t values = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < plans.size(); ++i) {
        if (round >= plans[i].size()) continue;
        for (CellTile tile : plans[i][round].tiles) {
          if (tile.before >= 0) {
            tile.before += begins[i];
          } else if (!direct_.held().empty()) {
            tile.before = tile.first - part_.held.begin;
          }
          tile.after += values;
          all_tiles.push_back(tile);
        }
        begins[i] = values;
        values += plans[i][round].values;
      }
      ends.push_back(all_tiles.size());
    }
    tiles_.at_least(static_cast<std::int64_t>(all_tiles.size()));
    tiles_.copy_from(all_tiles);
    values_.at_least(values);
    for (std::size_t round = 0, begin = 0; round < rounds; begin = ends[round++]) {
      launch(round * TileStorms::most,
             std::as_const(tiles_).span().subspan(begin, ends[round] - begin),
             round == 0 ? direct_.held() : std::as_const(values_).span());
    }
    std::vector<float> left(static_cast<std::size_t>(values));
    values_.copy_to(left);
    std::vector<std::vector<float>> wanted(several.size());
    for (std::size_t i = 0; i < several.size(); ++i) {
      for (const CellRange& cells : several[i].ranges) {
        const auto at = left.begin() + begins[i] + number_of(plans[i].back().ranges, cells.begin);
        wanted[i].insert(wanted[i].end(), at, at + cells.count());
      }
    }
    return wanted;
  }

  /// More candidates take longer to plan, or to compute, than a look at the best ones first.
  std::size_t few_candidates() const override {
    const double of_candidate = static_cast<double>(CellTile::most_cells) *
                                std::max(1.0, static_cast<double>(pending_->ends().back()));
    return static_cast<std::size_t>(
        std::min(most_candidates_to_plan, most_interactions_of_candidates / of_candidate));
  }
  double least_cost_of_cell() const override {
    return tile_cost * std::max(1.0, static_cast<double>(pending_->ends().back()));
  }

 private:
  /// The rounds of tiles that share the device with those of `several` plans.
  std::vector<TileRound> plan(const std::vector<CellRange>& ranges, std::size_t storms,
                              std::int64_t several) const {
    return plan_tiles(ranges, storms, part_.total,
                      std::max<std::int64_t>(1, tiles_at_once_ / several));
  }

  /// Queues a round, which continues from the values `before` with this storm.
  void launch(std::size_t first_storm, std::span<const CellTile> tiles,
              std::span<const float> before) {
    const std::span<const std::int64_t> all_ends = pending_->ends();
    const std::int64_t begin = first_storm == 0 ? 0 : all_ends[first_storm - 1];
    const std::size_t count =
        std::min<std::size_t>(TileStorms::most, all_ends.size() - first_storm);
    std::vector<std::int64_t> ends;
    for (const std::int64_t end : all_ends.subspan(first_storm, count)) {
      ends.push_back(end - begin);
    }
    const TileStorms storms{.impacts = pending_->impacts().subspan(static_cast<std::size_t>(begin)),
                            .ends = ends,
                            .layer_cells = part_.total};
    with_law(rule_, [&](const auto& rule) {
      cuda::apply_to_tiles(rule, storms, tiles, before, values_.span());
    });
  }

  Part part_;
  AnyLayerRule rule_;
  std::int64_t tiles_at_once_ =
      with_law(rule_, []<class Law>(const LayerRule<Law>&) { return cuda::tiles_at_once<Law>(); });
  std::shared_ptr<DeviceStorms> pending_;
  CudaDirect direct_;
  cuda::DeviceArray<CellTile> tiles_;
  cuda::DeviceArray<float> values_;
};

}  // namespace

std::unique_ptr<ExactLayer> make_cuda_exact_layer(const EngineOptions& options,
                                                  std::shared_ptr<DeviceStorms> pending) {
  return std::make_unique<CudaExactLayer>(options, std::move(pending));
}

}  // namespace bombard
