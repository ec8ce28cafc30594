#pragma once

#include <cstdint>

namespace bombard {

/// The energy that an impact brings to a cell of a layer, in half the memory.
struct alignas(8) CellDeposit {
  std::uint32_t cell;
  std::int32_t energy;  ///< thousands
};

}  // namespace bombard
