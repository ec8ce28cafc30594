#include "kernels/base/instruction_set.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>

namespace bombard::cpu {

namespace {

/// Index into offered_instruction_sets().
std::atomic<std::size_t> chosen{0};

}  // namespace

std::string_view instruction_set() {
  static const std::vector<std::string_view> offered = offered_instruction_sets();
  return offered[chosen];
}

void use_instruction_set(std::string_view name) {
  const auto offered = offered_instruction_sets();
  const auto found = std::ranges::find(offered, name);
  if (found == offered.end()) throw std::invalid_argument("not offered by this processor");
  chosen = static_cast<std::size_t>(found - offered.begin());
}

}  // namespace bombard::cpu
