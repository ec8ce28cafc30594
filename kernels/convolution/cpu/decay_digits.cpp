#include "kernels/convolution/cpu/decay_digits.hpp"

namespace bombard::cpu {

void DecayDigitTables::cover(std::int64_t distance, const ConvolutionTables& tables) {
  int count = 2;
  std::int64_t rows = 0;
  const auto cells_of = [](int digit) {
    return digit == 0
               ? 1
               : std::int64_t{1} << (DecayDigits::first_bits + DecayDigits::bits * (digit - 1));
  };
  const auto values_of = [](int digit) {
    return std::int64_t{1} << (digit == 0 ? DecayDigits::first_bits : DecayDigits::bits);
  };
  while (distance / cells_of(count) > 0) ++count;
  if (count <= count_) return;
  count_ = count;
  for (int digit = 0; digit < count; ++digit) rows += values_of(digit);
  rows_.resize(static_cast<std::size_t>(rows * tables.terms));
  double* row = rows_.data();
  for (int digit = 0; digit < count; ++digit) {
    for (std::int64_t value = 0; value < values_of(digit); ++value) {
      tables.sum.decay(static_cast<double>(value * cells_of(digit)), row);
      row += tables.terms;
    }
  }
}

}  // namespace bombard::cpu
