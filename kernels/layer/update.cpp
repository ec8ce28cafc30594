#include "kernels/layer/update.hpp"

#include <type_traits>

#include "kernels/base/vector.hpp"
#include "kernels/layer/update_work.hpp"

namespace bombard::cpu {

namespace {

// Division in half of the widest registers takes half the time: the last cells of a tile are added
// that way if they fill no more than half a register.
constexpr std::int64_t half_a_register = 8;

/// The loops of the chosen instruction set.
template <class Law>
auto chosen_update() {
  if constexpr (BOMBARD_IS_X86_64) {
    return widest(avx512::update<Law>, avx2::update<Law>, baseline::update<Law>);
  }
  return &baseline::update<Law>;
}

/// Wider registers hardly speed up counting (docs/journal.md, Counting).
auto chosen_update_by_counting() {
  if constexpr (BOMBARD_IS_X86_64) {
    return widest(avx2::update_by_counting, avx2::update_by_counting, baseline::update_by_counting);
  }
  return &baseline::update_by_counting;
}

}  // namespace

template <class Law>
void update(const LayerRule<Law>& rule, std::span<const ScaledImpact> impacts, bool all_count,
            std::int64_t first, const DivisorTable& table, std::span<float> layer,
            CountingMemory* counting) {
  if (impacts.empty() || layer.empty()) return;
  UpdateWork<Law> work{rule.law,
                       impacts.data(),
                       static_cast<std::int64_t>(impacts.size()),
                       rule.smallest,
                       all_count,
                       table.middle(),
                       table.farthest(),
                       first,
                       layer.data(),
                       static_cast<std::int64_t>(layer.size()),
                       counting};
  if constexpr (std::is_same_v<Law, SquareRootLaw>) {
    if (counting != nullptr) return chosen_update_by_counting()(work);
  }
  if constexpr (BOMBARD_IS_X86_64) {
    const std::int64_t rest = work.cells % (2 * half_a_register);
    if (chosen_instruction_set() == InstructionSet::avx512 && rest > 0 && rest <= half_a_register) {
      work.cells -= rest;
      UpdateWork<Law> last = work;
      last.first += work.cells;
      last.layer += work.cells;
      last.cells = rest;
      avx2::update(last);
    }
  }
  chosen_update<Law>()(work);
}

template void update(const LayerRule<SquareRootLaw>&, std::span<const ScaledImpact>, bool,
                     std::int64_t, const DivisorTable&, std::span<float>, CountingMemory*);
template void update(const LayerRule<GeneralLaw>&, std::span<const ScaledImpact>, bool,
                     std::int64_t, const DivisorTable&, std::span<float>, CountingMemory*);

}  // namespace bombard::cpu
