#include "kernels/base/instruction_set.hpp"
#include "tests/solvers/backend.hpp"

using namespace bombard;

void use_backend(const Backend& backend) {
  cpu::use_instruction_set(backend.instruction_set);
}

void leave_backend() {
  cpu::use_instruction_set(cpu::offered_instruction_sets().front());
}

std::vector<Backend> backends() {
  std::vector<Backend> all;
  for (const std::string_view set : cpu::offered_instruction_sets()) {
    std::string name = "cpu_" + std::string(set) + (all.empty() ? "" : "_narrower");
    std::erase(name, '-');
    all.push_back({name, false, set});
  }
  return all;
}

std::vector<Backend> devices() {
  return {{"cpu", false, cpu::offered_instruction_sets().front()}};
}
