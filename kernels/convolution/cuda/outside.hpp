#pragma once

#include <cstdint>
#include <vector>

#include "kernels/convolution/cuda/sources.hpp"
#include "kernels/device/device_memory.hpp"

namespace bombard::cuda {

struct States;
struct Terms;

/// What lies outside the padded layer, as moments of the chunk beside it, [field][side][term], of
/// energies and of uncertainties: impacts, and the states that come in at the borders of a slab
/// (docs/methods.md, The fast layer). A source's exponentials are 1 at `unit` cells before the end
/// of its chunk on its way.
class Outside {
 public:
  /// Nothing lies outside; the tables have these exponents, in device memory.
  void begin(int terms, const double* exponents, double unit);

  /// The impacts outside of a storm that is gathered alone. Those before the layer, or behind it,
  /// count or are others' (slabs). Always adds in the same order; returns once launched.
  void gather(const GatheredImpacts& storm, bool before_counts, bool behind_counts);
  /// Nothing lies outside any more.
  void clear();

  // For a slab, when the tiles have added to the states, and before these are scanned.
  /// The state that all sources before this chunk, 0 to `chunks`, give to the cells behind it on
  /// their way, [term], as if they lay outside. Waits for it.
  std::vector<double> leaving(bool to_right, std::int64_t chunk, const Terms& terms,
                              const States& states, const SourceArray<std::int64_t>& sources);
  /// The states that come in, [side][term], lie outside from now on.
  void come_in(const std::vector<double>& both, const Terms& terms, const States& states);

  const double* energies() const { return moments_.span().data(); }
  const double* uncertainties() const { return moments_.span().data() + 2 * terms_; }

 private:
  int terms_ = 0;
  const double* exponents_ = nullptr;
  double unit_ = 0;
  bool empty_ = true;
  DeviceArray<double> moments_;
  DeviceArray<double> sums_;      ///< of tiles, for the states that leave
  DeviceArray<double> crossing_;  ///< states on their way to the host or from it
};

}  // namespace bombard::cuda
