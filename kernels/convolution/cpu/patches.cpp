#include "kernels/convolution/cpu/patches.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/convolution/chunks.hpp"

namespace bombard::cpu {

namespace {

// This takes 8 MiB, and some 40 ms to compute.
constexpr std::int64_t longest_table = 1 << 20;

/// sums[k] += amount * the attenuation at |k - at| + 1, for the cells k of the patch.
void add(const Patch& patch, double amount, const AttenuationTable& attenuation, double* sums) {
  const std::int64_t at = patch.at, begin = patch.begin, end = patch.end;
  const std::int64_t last = std::max(std::abs(begin - at), std::abs(end - 1 - at)) + 1;
  if (const double* const table = attenuation.up_to(last); table != nullptr) {
    return sweep_kernels().add_shares(table, at, begin, end, amount, sums);
  }
  for (std::int64_t k = begin; k < end; ++k) {
    sums[k] += amount * attenuation.computed(std::abs(k - at) + 1);
  }
}

}  // namespace

void AttenuationTable::cover(std::int64_t length) {
  const auto known = static_cast<std::int64_t>(values_.size());
  const std::int64_t size = std::min(length, longest_table) + 1;
  if (size <= known) return;
  values_.resize(static_cast<std::size_t>(std::min(2 * size, longest_table + 1)));
  for (std::size_t n = std::max<std::size_t>(known, 1); n < values_.size(); ++n) {
    values_[n] = computed(static_cast<std::int64_t>(n));
  }
}

double AttenuationTable::computed(std::int64_t n) const {
  return scale_ * attenuated(attenuation_, static_cast<double>(n));
}

std::vector<double> sum_patches(std::span<const Patch> patches, const AttenuationTable& attenuation,
                                int field, std::int64_t cells) {
  if (patches.size() > patches_in_a_row) {
    const std::size_t half = patches.size() / 2;
    std::vector<double> sums = sum_patches(patches.first(half), attenuation, field, cells);
    const std::vector<double> second =
        sum_patches(patches.subspan(half), attenuation, field, cells);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += second[k];
    return sums;
  }
  std::vector<double> sums(static_cast<std::size_t>(cells));
  for (const Patch& patch : patches) add(patch, patch.amounts[field], attenuation, sums.data());
  return sums;
}

}  // namespace bombard::cpu
