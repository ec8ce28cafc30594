#pragma once

#include <cstdint>

namespace bombard {

/// A value and where it stands.
struct IndexedValue {
  float value;
  std::int64_t index;
};

}  // namespace bombard
