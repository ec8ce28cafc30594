#pragma once

#include <cstdint>
#include <vector>

#include "kernels/share/attenuation.hpp"

namespace bombard {

/// An attenuation as a short sum of exponentials, with exponents in ascending order:
/// sum over j of weights[j] exp(-exponents[j] n) = n^-power exp(-(n - 1) / range) (1 + delta),
/// |delta| <= relative_error, for every real n from shortest to longest.
struct ExponentialSum {
  std::vector<double> exponents;  ///< >= 0
  std::vector<double> weights;    ///< > 0
  double relative_error;          ///< a bound, derived in docs/roundings.md; it includes rounding
  double damping = 0;             ///< what the range adds to each exponent

  /// The number of terms in the rows of tables, a multiple of line_doubles: the last ones are 0.
  std::int64_t terms_of_row() const;
  /// Writes a row: exp(-exponents[j] n) for any n >= 0.
  void decay(double n, double* row) const;
};

/// The sum for 1 <= shortest <= longest and 1e-14 <= relative_error <= 1e-2. It is deterministic
/// and takes well under a millisecond.
///
/// A power has about (ln(longest/shortest) + 3)/h + 10 terms, with h = pi^2 / ln(5/relative_error)
/// for the power 1/2. They come from the trapezoidal rule for n^-power = 1/Gamma(power) * integral
/// of exp(-n e^t + power t) dt, with its many small exponents replaced by a Gauss rule for the same
/// discrete measure (Beylkin and Monzon, "Approximation by exponential sums revisited", 2010).
///
/// A finite range adds 1 / range to the exponents, and the roundings of the argument to the error.
/// A short range is cut off where everything is below 1e-340, for shortest >= 66. An exponential
/// without a power is a single term.
ExponentialSum exponential_sum(const Attenuation& attenuation, double shortest, double longest,
                               double relative_error);

}  // namespace bombard
