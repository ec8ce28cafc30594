#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bombard/storm.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/device/upload.hpp"
#include "kernels/layer/cell_deposit.hpp"
#include "kernels/layer/cell_range.hpp"
#include "sim/engines/storm_extent.hpp"

namespace bombard {

/// A storm in device memory. Launches that follow may use the spans until release().
struct UploadedStorm {
  std::span<const Impact> deposits;
  /// Of a storm sent by cell those that fall on cells; then `deposits` are the others.
  std::span<const CellDeposit> cell_deposits;
  /// Of a storm sent by cell no more than bounds: all of the cells, and the least energy there is.
  StormExtent extent;
};

/// Brings the deposits of storm after storm to device memory. Large storms go there in packets:
/// each thread writes one while another of its own is on its way, and page-locked memory, slow to
/// get, stays small.
class StormUpload {
 public:
  /// Positions are counted from the first of these cells. Uses up to so many threads.
  StormUpload(const CellRange& cells, int threads);

  /// Throws CannotRun without room on the device.
  UploadedStorm send(std::span<const Impact> impacts);
  /// In half the memory, but for impacts that fall on none of the cells, fewer than 2^32.
  UploadedStorm send_by_cell(std::span<const Impact> impacts);

  /// After the launches that use the spans.
  void release();

 private:
  template <class Element>
  struct Buffers {
    explicit Buffers(int threads) : written(2 * static_cast<std::size_t>(threads)) {}
    std::vector<cuda::PinnedArray<Element>> written;  ///< two packets for each thread
    cuda::DeviceArray<Element> device[2];             ///< one for each of two storms
  };
  template <class Element, class Write>
  std::span<const Element> in_packets(Buffers<Element>& buffers, std::int64_t count,
                                      const Write& write);

  CellRange cells_;
  int threads_;
  cuda::CopyStream copies_;
  Buffers<Impact> deposits_;
  Buffers<CellDeposit> cell_deposits_;
  int storm_slot_ = 0;  ///< of a storm on the device
};

}  // namespace bombard
