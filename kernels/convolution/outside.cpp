#include "kernels/convolution/outside.hpp"

#include <algorithm>
#include <vector>

#include "kernels/base/share_out.hpp"
#include "kernels/convolution/sources.hpp"

namespace bombard::cpu {

namespace {

/// The sums of one part of the deposits, or of several.
struct PartialSums {
  EndStates energies, uncertainties;

  void resize(std::size_t terms, bool with_uncertainty) {
    for (AlignedDoubles* state : {&energies.before, &energies.behind}) state->resize(terms);
    if (!with_uncertainty) return;
    for (AlignedDoubles* state : {&uncertainties.before, &uncertainties.behind}) {
      state->resize(terms);
    }
  }
};

/// to += amount * from.
void add(double amount, const AlignedDoubles& from, AlignedDoubles& to) {
  for (std::size_t t = 0; t < to.size(); ++t) to[t] += amount * from[t];
}

void add(const PartialSums& from, PartialSums& to) {
  add(1, from.energies.before, to.energies.before);
  add(1, from.energies.behind, to.energies.behind);
  add(1, from.uncertainties.before, to.uncertainties.before);
  add(1, from.uncertainties.behind, to.uncertainties.behind);
}

}  // namespace

void sum_outside(std::span<const Deposit> deposits, const PaddedRange& padded,
                 const DepositUncertainty* uncertainty, const ConvolutionTables& tables,
                 int threads, EndStates& energies, EndStates& uncertainties) {
  const auto count = static_cast<std::int64_t>(deposits.size());
  const auto terms = static_cast<std::size_t>(tables.terms);
  // At least one, so that there are sums. Always the same: they do not depend on the threads.
  const std::int64_t parts = std::max<std::int64_t>((count + outside_part - 1) / outside_part, 1);
  std::vector<PartialSums> sums(static_cast<std::size_t>(parts));
  share_out(parts, threads, [&](const auto& each) {
    AlignedDoubles factors(terms);
    each([&](std::int64_t part) {
      PartialSums& own = sums[static_cast<std::size_t>(part)];
      own.resize(terms, uncertainty != nullptr);
      const std::int64_t end = std::min((part + 1) * outside_part, count);
      for (std::int64_t i = part * outside_part; i < end; ++i) {
        const Deposit& deposit = deposits[static_cast<std::size_t>(i)];
        const bool before = deposit.position < padded.first;
        const bool behind = deposit.position >= padded.end;
        if (!(before && padded.before_counts) && !(behind && padded.behind_counts)) continue;
        if (deposit.energy == 0) continue;
        const std::int64_t n =
            before ? padded.first - deposit.position + 1 : deposit.position - padded.end + 2;
        tables.decay(static_cast<double>(n), factors.data());
        add(deposit.energy, factors, before ? own.energies.before : own.energies.behind);
        if (uncertainty == nullptr) continue;
        add(source_uncertainty(*uncertainty, i, deposit.energy), factors,
            before ? own.uncertainties.before : own.uncertainties.behind);
      }
    });
  });
  for (std::size_t step = 1; step < sums.size(); step *= 2) {
    for (std::size_t i = 0; i + step < sums.size(); i += 2 * step) add(sums[i + step], sums[i]);
  }
  energies = std::move(sums.front().energies);
  uncertainties = std::move(sums.front().uncertainties);
}

}  // namespace bombard::cpu
