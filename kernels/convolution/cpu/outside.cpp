#include "kernels/convolution/cpu/outside.hpp"

#include <algorithm>
#include <vector>

#include "kernels/base/share_out.hpp"
#include "kernels/convolution/cpu/sources.hpp"

namespace bombard::cpu {

namespace {

/// The sums of one part of the deposits, or of several; empty where none of them counts.
struct PartialSums {
  EndStates energies, uncertainties;
};

void add(const AlignedDoubles& from, AlignedDoubles& to) {
  if (to.empty()) to.resize(from.size());
  for (std::size_t t = 0; t < from.size(); ++t) to[t] += from[t];
}

void add(const PartialSums& from, PartialSums& to) {
  add(from.energies.before, to.energies.before);
  add(from.energies.behind, to.energies.behind);
  add(from.uncertainties.before, to.uncertainties.before);
  add(from.uncertainties.behind, to.uncertainties.behind);
}

/// Calls work(i, distance, before) for those of the deposits that lie outside and count.
template <class Work>
void each_outside(const OutsideDeposits& deposits, std::int64_t begin, std::int64_t end,
                  const Work& work) {
  const PaddedRange& padded = deposits.padded;
  for (std::int64_t i = begin; i < end; ++i) {
    const Impact& deposit = deposits.all[static_cast<std::size_t>(i)];
    if (deposit.energy == 0) continue;
    if (deposit.position < padded.first) {
      if (padded.before_counts) work(i, padded.first - deposit.position + 1, true);
    } else if (deposit.position >= padded.end) {
      if (padded.behind_counts) work(i, deposit.position - padded.end + 2, false);
    }
  }
}

/// Those of a part that lie on one side.
struct OneSide {
  std::int64_t count = 0;
  std::int64_t distances[outside_part];
  double energies[outside_part], uncertainties[outside_part];
};

void sum_side(const OneSide& side, const SweepTables& tables, const SweepKernels& kernels,
              const double (&amounts)[outside_part], AlignedDoubles& sums) {
  sums.resize(static_cast<std::size_t>(tables.terms));
  kernels.sum_decayed(tables, side.distances, amounts, side.count, sums.data());
}

PartialSums sum_of_part(const OutsideDeposits& deposits, std::int64_t part,
                        const SweepTables& tables, const SweepKernels& kernels) {
  OneSide before, behind;
  const std::int64_t begin = part * outside_part;
  const std::int64_t end =
      std::min(begin + outside_part, static_cast<std::int64_t>(deposits.all.size()));
  each_outside(deposits, begin, end, [&](std::int64_t i, std::int64_t distance, bool is_before) {
    OneSide& side = is_before ? before : behind;
    const std::int32_t energy = deposits.all[static_cast<std::size_t>(i)].energy;
    side.distances[side.count] = distance;
    side.energies[side.count] = energy;
    if (deposits.uncertainty != nullptr) {
      side.uncertainties[side.count] = source_uncertainty(*deposits.uncertainty, i, energy);
    }
    ++side.count;
  });
  PartialSums sums;
  const auto sum_up = [&](const OneSide& side, AlignedDoubles& energies,
                          AlignedDoubles& uncertainties) {
    if (side.count == 0) return;
    sum_side(side, tables, kernels, side.energies, energies);
    if (deposits.uncertainty == nullptr) return;
    sum_side(side, tables, kernels, side.uncertainties, uncertainties);
  };
  sum_up(before, sums.energies.before, sums.uncertainties.before);
  sum_up(behind, sums.energies.behind, sums.uncertainties.behind);
  return sums;
}

}  // namespace

std::int64_t OutsideDeposits::farthest() const {
  std::int64_t farthest = 0;
  each_outside(
      *this, 0, static_cast<std::int64_t>(all.size()),
      [&](std::int64_t, std::int64_t distance, bool) { farthest = std::max(farthest, distance); });
  return farthest;
}

void sum_outside(const OutsideDeposits& deposits, const SweepTables& tables,
                 const SweepKernels& kernels, int threads, EndStates& energies,
                 EndStates& uncertainties) {
  const auto count = static_cast<std::int64_t>(deposits.all.size());
  // At least one, so that there are sums. Always the same: they do not depend on the threads.
  const std::int64_t parts = std::max<std::int64_t>((count + outside_part - 1) / outside_part, 1);
  std::vector<PartialSums> sums(static_cast<std::size_t>(parts));
  share_out(parts, threads, [&](const auto& each) {
    each([&](std::int64_t part) {
      sums[static_cast<std::size_t>(part)] = sum_of_part(deposits, part, tables, kernels);
    });
  });
  for (std::size_t step = 1; step < sums.size(); step *= 2) {
    for (std::size_t i = 0; i + step < sums.size(); i += 2 * step) add(sums[i + step], sums[i]);
  }
  PartialSums& all = sums.front();
  const auto terms = static_cast<std::size_t>(tables.terms);
  for (AlignedDoubles* state : {&all.energies.before, &all.energies.behind,
                                &all.uncertainties.before, &all.uncertainties.behind}) {
    state->resize(terms);
  }
  energies = std::move(all.energies);
  uncertainties = std::move(all.uncertainties);
}

}  // namespace bombard::cpu
