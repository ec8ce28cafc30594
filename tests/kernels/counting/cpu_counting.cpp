#include <algorithm>
#include <memory>

#include "kernels/base/instruction_set.hpp"
#include "kernels/layer/update.hpp"
#include "tests/kernels/counting/counting_ways.hpp"

using namespace bombard;

void require_counting() {}

std::vector<CountingWay> counting_ways() {
  std::vector<CountingWay> ways;
  for (const std::string_view set : cpu::offered_instruction_sets()) {
    std::string name(set);
    std::erase(name, '-');
    ways.push_back({name, [set](const CountedCase& given) {
                      cpu::use_instruction_set(set);
                      const auto memory = std::make_unique<cpu::CountingMemory>();
                      std::vector<float> layer = given.layer;
                      cpu::update(LayerRule<SquareRootLaw>{{}, {1, 1}, given.smallest},
                                  given.impacts, given.smallest == 0, given.first,
                                  cpu::DivisorTable(SquareRootLaw{}, given.farthest_divisor), layer,
                                  memory.get());
                      cpu::use_instruction_set(cpu::offered_instruction_sets().front());
                      return layer;
                    }});
  }
  return ways;
}
