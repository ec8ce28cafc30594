#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bombard {

/// One particle's hit.
struct Impact {
  std::int64_t position;  ///< cell index; may lie outside the layer; |position| <= largest_position
  std::int32_t energy;    ///< thousands; any sign
  friend bool operator==(const Impact&, const Impact&) = default;
};

/// Bound on |position|: distances stay exact in 64 bits.
inline constexpr std::int64_t largest_position = std::int64_t{1} << 61;

/// A storm: its origin and its impacts, in file order.
struct Storm {
  std::string name;
  std::vector<Impact> impacts;
};

}  // namespace bombard
