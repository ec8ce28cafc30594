#include <memory>

#include "kernels/layer/update.hpp"
#include "tests/kernels/counting/counted_case.hpp"

using namespace bombard;

const bool counts_any_storm = true;

std::vector<float> counted(const CountedCase& given) {
  const auto memory = std::make_unique<cpu::CountingMemory>();
  std::vector<float> layer = given.layer;
  cpu::update(LayerRule<SquareRootLaw>{{}, {1, 1}, given.smallest}, given.impacts,
              given.smallest == 0, given.first,
              cpu::DivisorTable(SquareRootLaw{}, given.farthest_divisor), layer, memory.get());
  return layer;
}
