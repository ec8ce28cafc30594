#include "sim/ranks/shared_bounds.hpp"

#include <algorithm>
#include <vector>

#include "sim/ranks/agreement.hpp"

namespace bombard {

void SharedBounds::largest(std::span<double> values) const {
  meet(communicator_, false);
  const auto ranks = static_cast<std::size_t>(communicator_.ranks());
  std::vector<double> all(communicator_.rank() == 0 ? ranks * values.size() : 0);
  communicator_.gather(std::as_bytes(values), std::as_writable_bytes(std::span(all)));
  for (std::size_t i = 0; i < all.size(); ++i) {
    double& value = values[i % values.size()];
    value = std::max(value, all[i]);
  }
  communicator_.broadcast(std::as_writable_bytes(values));
}

void SharedBounds::say_nothing(std::size_t storms) const {
  std::vector<double> nothing(storms, 0);
  if (all_at_once_) return largest(nothing);
  for (double& of_storm : nothing) largest({&of_storm, 1});
}

}  // namespace bombard
