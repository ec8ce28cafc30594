#pragma once

#include <cstdint>

#include "kernels/convolution/cpu/sweep.hpp"
#include "kernels/convolution/tables.hpp"

namespace bombard::cpu {

/// The tables of DecayDigits (sweep.hpp) for one exponential sum, as long as they have to be.
class DecayDigitTables {
 public:
  /// Makes them, if need be, such that they have all distances from 0 to this one.
  void cover(std::int64_t distance, const ConvolutionTables& tables);
  /// Forgets all rows: the next ones are those of another exponential sum.
  void forget() { count_ = 0; }

  DecayDigits digits() const { return {rows_.data()}; }

 private:
  int count_ = 0;
  AlignedDoubles rows_;
};

}  // namespace bombard::cpu
