#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/base/host_array.hpp"
#include "kernels/layer/part.hpp"
#include "kernels/layer/rule.hpp"
#include "kernels/share/divisor_table.hpp"
#include "sim/engines/costs.hpp"
#include "sim/engines/engine.hpp"

namespace bombard {

/// Computes every interaction, in one pass over the layer for each storm: a tile of cells is
/// loaded with a margin, takes the storm, is relaxed and searched for the maximum while it is in
/// the first-level cache, and is written back in place.
class CpuDirect final : public Engine {
 public:
  /// Impacts are counted where that pays by these costs, which must outlive this.
  explicit CpuDirect(const EngineOptions& options, const CountingCosts& counting = costs::counting);

  /// Bytes of memory that it will ask for.
  static std::int64_t bytes(const EngineOptions& options);

  Maximum apply(const StormView& storm) override;
  void begin_with(const LayerView& held) override;
  void reset() override;
  Layer layer() const override;

 private:
  struct Workspace;
  void tabulate_divisors(const StormExtent& storm);
  void make_layer();
  void add_storm(std::span<const Impact> impacts, bool all_count, const CellRange& wide,
                 Workspace& work) const;
  void relax_and_locate(const CellRange& own, const CellRange& wide, Workspace& work) const;

  Part part_;
  LayerRule rule_;
  std::int64_t storms_, storms_left_;
  double impacts_applied_ = 0;
  bool keep_layer_;
  const CountingCosts& counting_;
  int threads_;
  cpu::DivisorTable table_;
  HostArray<float> layer_;  ///< empty until it is needed
  bool zero_ = true;        ///< it is 0 everywhere, whatever is in memory
};

}  // namespace bombard
