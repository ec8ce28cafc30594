#pragma once

#include <cstddef>
#include <vector>

namespace oracle {

/// Two storms' sums at once by the fast Fourier transform, a third way to them beside adding shares
/// and exponential sums: element k of the result is the sum over p of amounts[p] / sqrt(|p - k| +
/// 1). Off by about 1e-15 of the amounts' norm times the kernel's (the root of 2 ln cells).
struct TwoSums {
  std::vector<double> first, second;
};
TwoSums convolved(const std::vector<double>& first, const std::vector<double>& second);

}  // namespace oracle
