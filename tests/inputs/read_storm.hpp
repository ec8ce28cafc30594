#pragma once

#include <string>

#include "inputs/storm_file.hpp"

namespace bombard {

/// Opens and reads a storm file.
inline Storm read_storm(const std::string& path) {
  return StormFile(path).read();
}

}  // namespace bombard
