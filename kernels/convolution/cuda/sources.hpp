#pragma once

#include <cstdint>

#include "bombard/storm.hpp"
#include "kernels/base/host_device.hpp"
#include "kernels/convolution/chunks.hpp"
#include "kernels/convolution/uncertainty.hpp"
#include "kernels/device/device_memory.hpp"

namespace bombard::cuda {

/// The layer begins behind one empty chunk and ends before another: impacts outside them are far.
inline constexpr std::int64_t first_cell = chunk_cells;

/// Storms that are gathered together: their impacts follow one another in device memory.
struct GatheredImpacts {
  static constexpr std::int64_t most_storms = 8;

  const Impact* impacts;
  std::int64_t count;   ///< of all storms
  std::int64_t origin;  ///< the position of the padded layer's first cell
  std::int64_t chunks;  ///< of the padded layer
  std::int64_t storms;
  std::int64_t ends[most_storms];
  DepositUncertainty uncertainty[most_storms];

  /// The cell of the padded layer that an impact falls on, or one outside it.
  BOMBARD_HOST_DEVICE std::int64_t cell_of(const Impact& impact) const {
    return impact.position - origin;
  }
  BOMBARD_HOST_DEVICE bool is_inside(std::int64_t cell) const {
    return cell >= 0 && cell < chunks * chunk_cells;
  }
  BOMBARD_HOST_DEVICE std::int64_t storm_of(std::int64_t impact) const {
    std::int64_t storm = 0;
    while (impact >= ends[storm]) ++storm;
    return storm;
  }
  /// How far off an impact of the storm may be, as an energy.
  BOMBARD_HOST_DEVICE double off(std::int64_t storm, std::int64_t impact,
                                 std::int32_t energy) const {
    return uncertainty[storm].of(impact - (storm == 0 ? 0 : ends[storm - 1]), energy);
  }
};

/// A sum of energies, or of uncertainties, in each cell whose bit is set.
template <class Amount>
struct SourceArray {
  std::uint64_t* mask;  ///< a word a chunk
  /// The place of each chunk among those that have amounts, where these are few; nullptr: all have.
  unsigned* place;
  Amount* amount;  ///< [place][cell]
  /// The impacts outside, as moments of one chunk more on either side, [side][term].
  const double* outside;

  /// The amounts of a chunk that has some.
  BOMBARD_HOST_DEVICE Amount* of_chunk(std::int64_t chunk) const {
    return amount + (place == nullptr ? chunk : std::int64_t{place[chunk]}) * chunk_cells;
  }
  /// The amounts of one of several storms, which have as much room each.
  BOMBARD_HOST_DEVICE SourceArray of_storm(std::int64_t storm, std::int64_t chunks) const {
    return {mask + storm * chunks, place, amount + storm * chunks * chunk_cells, outside};
  }
};

/// The sums of the impacts on each cell of the padded layer: energies exactly, in any order.
class Sources {
 public:
  explicit Sources(std::int64_t chunks);
  static void load();

  /// Whether a storm of `impacts` impacts falls on enough cells for all cells to be summed. Then it
  /// is gathered alone.
  bool is_dense(std::int64_t impacts) const;
  /// Sums up the energies of these storms, and their uncertainties if those are tracked. Throws
  /// CannotRun without room. Returns once launched.
  void gather(const GatheredImpacts& storms, bool tracked);

  /// The sources gathered last, of the first storm; `outside` as SourceArray has it.
  SourceArray<std::int64_t> energies(const double* outside);
  SourceArray<double> uncertainties(const double* outside);

 private:
  bool lacks_room(std::int64_t impacts, bool tracked) const;

  std::int64_t chunks_;
  bool by_place_ = false;  ///< amounts are only of the chunks that impacts fall on
  DeviceArray<std::uint64_t> mask_;
  DeviceArray<unsigned> place_;
  DeviceArray<std::int64_t> energy_;
  DeviceArray<double> uncertainty_;
};

}  // namespace bombard::cuda
