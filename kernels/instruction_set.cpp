#include "kernels/instruction_set.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "kernels/vector_kernels.hpp"

namespace bombard::cpu {

namespace {

/// Index into offered_vector_kernels().
std::atomic<std::size_t> chosen{0};

}  // namespace

const VectorKernels& vector_kernels() {
  return *offered_vector_kernels()[chosen];
}

std::string_view instruction_set() {
  return vector_kernels().name;
}

std::vector<std::string_view> offered_instruction_sets() {
  std::vector<std::string_view> names;
  for (const VectorKernels* kernels : offered_vector_kernels()) names.push_back(kernels->name);
  return names;
}

void use_instruction_set(std::string_view name) {
  const auto names = offered_instruction_sets();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw std::invalid_argument("not offered by this processor");
  chosen = static_cast<std::size_t>(found - names.begin());
}

}  // namespace bombard::cpu
