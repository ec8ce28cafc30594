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
#include "sim/engines/reaches.hpp"

namespace bombard {

/// Computes every interaction, with storms fused: a tile of cells with a margin goes through all
/// storms of a batch while it is in the first-level cache, and the layer in memory is read and
/// written once per batch. Each relaxation spoils one cell of the margin, and so does the
/// comparison with the neighbours.
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

  /// The cells held, as the last storm left them; empty while all are 0, and after the very last
  /// storm unless keep_layer is set. Those of the margin that storms have spoilt are wrong. Valid
  /// until the next call of apply().
  std::span<const float> held() const { return zero_ ? std::span<const float>() : layer_.span(); }

  /// The fraction of the time of all its interactions that a storm takes because its impacts are
  /// counted; 1 if they are not.
  double time_of(const StormView& storm);

 private:
  std::vector<Maximum> apply_storms(std::span<const StormView> storms);
  struct Tiles;
  struct StormToAdd;
  struct Workspace;
  void tabulate_divisors(const StormExtent& storms);
  void apply_batch(std::span<const StormToAdd> storms, const Tiles& tiles,
                   std::span<Maximum> maxima);
  void make_layer();
  void add_storm(const StormToAdd& storm, const CellRange& wide, Workspace& work) const;
  void relax_and_locate(const CellRange& own, const CellRange& wide, Workspace& work,
                        Maximum& maximum) const;

  Part part_;
  EnergyScale energy_;
  Reaches reaches_;
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
