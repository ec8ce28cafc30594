#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bombard/storm.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/attenuation.hpp"

namespace bombard::cuda {

struct EndingDeposit;
struct EndLists;
struct StormList;

/// Where the deposits of some storms end, whose shares count up to a reach only: kernels get lists
/// of them, by chunk. Always in the same order.
class SourceEnds {
 public:
  /// For shares of scale * attenuation.
  SourceEnds(const Attenuation& attenuation, double scale);

  /// Finds the ends of so many storms in a layer of `cells`, in `chunks`, and gives the deposits
  /// that are sources, as many as all, on the same places: those that end near their position are
  /// none, nor those that count nowhere. All in device memory; returns once launched. Throws
  /// CannotRun without room.
  std::span<const Impact> find(std::span<const Impact> deposits,
                               std::span<const std::int64_t> reaches, const StormList& list,
                               std::int64_t storms, std::int64_t cells, std::int64_t chunks);
  /// What was found last, of the first storm, without its uncertainty.
  EndLists lists() const;

 private:
  Attenuation attenuation_;
  double scale_;
  std::int64_t chunks_ = 0;
  DeviceArray<double> shares_;
  DeviceArray<Impact> sources_;
  DeviceArray<unsigned> keys_[2], numbers_[2];  ///< as they are found, and sorted
  DeviceArray<unsigned> starts_;
  DeviceArray<EndingDeposit> ending_;
  DeviceArray<std::byte> workspace_;
};

}  // namespace bombard::cuda
