#include "kernels/convolution/cpu/outside.hpp"

namespace bombard::cpu {

OutsideImpacts::OutsideImpacts(const LayerStorm& storm, const CellRange& padded, Towards side) {
  for (std::size_t i = 0; i < storm.impacts.size(); ++i) {
    const auto& [position, energy] = storm.impacts[i];
    const std::int64_t beyond =
        side == to_right ? padded.begin - 1 - position : position - padded.end;
    if (beyond < 0 || energy == 0) continue;
    distances.push_back(beyond + 2);
    amounts[0].push_back(energy);
    if (storm.uncertainty) {
      amounts[1].push_back(storm.energy_uncertainty(static_cast<std::int64_t>(i)));
    }
  }
}

AlignedDoubles OutsideImpacts::state(int field, const SweepTables& tables,
                                     const SweepKernels& kernels) const {
  AlignedDoubles state(static_cast<std::size_t>(tables.terms));
  if (!distances.empty()) {
    kernels.sum_decayed(tables, distances.data(), amounts[field].data(), std::ssize(distances),
                        state.data());
  }
  return state;
}

}  // namespace bombard::cpu
