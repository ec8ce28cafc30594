#pragma once

#include <cstdint>

#include "bombard/storm.hpp"
#include "kernels/base/host_device.hpp"
#include "kernels/convolution/chunks.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/device/device_memory.hpp"

namespace bombard::cuda {

/// The layer begins after one empty chunk and ends before another: impacts outside them are far.
inline constexpr std::int64_t first_cell = chunk_cells;

/// The impacts of a storm, in device memory, and the padded layer on which they fall.
struct GatheredImpacts {
  const Impact* impacts;
  std::int64_t count;
  std::int64_t origin;  ///< the position of the padded layer's first cell
  std::int64_t chunks;  ///< of the padded layer
  StormUncertainty uncertainty;

  /// The cell of the padded layer, or one outside it, on which an impact falls.
  BOMBARD_HOST_DEVICE std::int64_t cell_of(const Impact& impact) const {
    return impact.position - origin;
  }
  BOMBARD_HOST_DEVICE std::int64_t cells() const { return chunks * chunk_cells; }
  BOMBARD_HOST_DEVICE bool is_inside(std::int64_t cell) const {
    return cell >= 0 && cell < cells();
  }
};

/// A sum that is convolved over the layer: of energies, or of how far off they may be.
enum Field { of_energies, of_uncertainties };

/// Sources in device memory: a sum of energies, and of uncertainties if those are tracked, in each
/// cell whose bit is set.
struct SourceArrays {
  std::uint64_t* mask;  ///< one word for each chunk
  /// The slot of each chunk that has sums, if these are few; nullptr: all have sums, in order.
  unsigned* slot;
  std::int64_t* energy;  ///< [slot][cell]
  double* uncertainty;   ///< the same, or nullptr

  /// Where the sums of a chunk begin, if it has any.
  BOMBARD_HOST_DEVICE std::int64_t begin_of(std::int64_t chunk) const {
    return (slot == nullptr ? chunk : std::int64_t{slot[chunk]}) * chunk_cells;
  }
  BOMBARD_HOST_DEVICE double amount(Field field, std::int64_t at) const {
    return field == of_energies ? static_cast<double>(energy[at]) : uncertainty[at];
  }
};

/// The sums of the impacts on each cell of the padded layer: energies are exact, in any order.
class Sources {
 public:
  explicit Sources(std::int64_t chunks) : mask_(chunks), slot_(chunks) {}

  /// Sums up the energies of a storm, and their uncertainties if those are tracked. Throws
  /// CannotRun if there is no room. Returns once launched.
  void gather(const GatheredImpacts& storm, bool tracked);
  /// The sources gathered last.
  const SourceArrays& arrays() const { return arrays_; }

 private:
  DeviceArray<std::uint64_t> mask_;
  DeviceArray<unsigned> slot_;
  DeviceArray<std::int64_t> energy_;
  DeviceArray<double> uncertainty_;
  SourceArrays arrays_{};
};

}  // namespace bombard::cuda
