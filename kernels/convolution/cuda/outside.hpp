#pragma once

#include <cstdint>

#include "kernels/convolution/cuda/sources.hpp"
#include "kernels/device/device_memory.hpp"

namespace bombard::cuda {

/// The impacts outside the padded layer, as moments of the chunk beside it: [field][side][term], of
/// energies and of uncertainties.
class Outside {
 public:
  /// Nothing outside; `terms` terms.
  explicit Outside(int terms);

  /// The impacts outside of a storm that is gathered alone. Those before the layer, or behind it,
  /// count or are others' (slabs). An impact's exponentials are 1 at `unit` cells from the border
  /// of the layer, outwards. Always adds in the same order; returns once launched.
  void gather(const GatheredImpacts& storm, bool before_counts, bool behind_counts,
              const double* exponents, double unit);
  /// Nothing lies outside any more.
  void clear();

  /// The energies, for kernels that add to them.
  double* energies_to_add_to();
  const double* energies() const { return moments_.span().data(); }
  const double* uncertainties() const { return moments_.span().data() + 2 * terms_; }

 private:
  int terms_;
  bool empty_ = true;
  DeviceArray<double> moments_;
};

}  // namespace bombard::cuda
