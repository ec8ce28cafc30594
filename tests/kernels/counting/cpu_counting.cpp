#include <memory>

#include "kernels/layer/update.hpp"
#include "tests/kernels/counting/counted_case.hpp"

using namespace bombard;

const bool takes_any_storm = true;

std::vector<std::vector<float>> added(const CountedCase& given) {
  const auto memory = std::make_unique<cpu::CountingMemory>();
  const LayerRule<SquareRootLaw> rule{{}, {1, 1}, given.smallest};
  const auto table = given.farthest_divisor < 0
                         ? cpu::DivisorTable()
                         : cpu::DivisorTable(SquareRootLaw{}, given.farthest_divisor);
  cpu::CountingMemory* const ways[] = {memory.get(), nullptr};
  std::vector<std::vector<float>> layers;
  for (cpu::CountingMemory* const counting : ways) {
    for (const bool all_count : {false, true}) {
      if (all_count && given.smallest > 0) continue;
      cpu::update(rule, given.impacts, all_count, given.first, table,
                  layers.emplace_back(given.layer), counting);
    }
  }
  return layers;
}
