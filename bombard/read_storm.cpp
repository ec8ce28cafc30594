#include "bombard/read_storm.hpp"

#include "inputs/storms/storm_file.hpp"

namespace bombard {

Storm read_storm(const std::string& path) {
  return StormFile(path).read();
}

}  // namespace bombard
