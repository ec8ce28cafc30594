#pragma once

#include <cstdint>
#include <vector>

#include "kernels/share/attenuation.hpp"

namespace bombard {

/// An attenuation as a short sum of exponentials, exponents in ascending order:
/// sum over j of weights[j] exp(-exponents[j] n) = n^-power (1 + delta), |delta| <= relative_error,
/// for every real n from shortest to longest; or the same for exp(-(n - 1) / range).
struct ExponentialSum {
  std::vector<double> exponents;  ///< >= 0
  std::vector<double> weights;    ///< > 0
  double relative_error;          ///< a bound, derived in docs/methods.md; rounding is in it
  double argument_error = 0;      ///< the part of it that is roundings of the argument, if large

  /// How many terms the rows of tables have, a multiple of line_doubles: the last ones are 0.
  std::int64_t terms_of_row() const;
  /// exp(-exponents[j] n) for any n >= 0, a row.
  void decay(double n, double* row) const;
};

/// The sum for 1 <= shortest <= longest and 1e-14 <= relative_error <= 1e-2. Deterministic; takes
/// well under a millisecond.
///
/// A power has about (ln(longest/shortest) + 3)/h + 10 terms, h = pi^2 / ln(5/relative_error) for
/// power 1/2: the trapezoidal rule for n^-power = 1/Gamma(power) * integral of
/// exp(-n e^t + power t) dt, its many small exponents replaced by a Gauss rule of the same discrete
/// measure (Beylkin and Monzon, "Approximation by exponential sums revisited", 2010).
///
/// An exponential is one term, whatever error was asked for: its own relative_error comes from its
/// argument's roundings, and one of a short range is cut off where all is below 1e-340, for
/// shortest >= 66.
ExponentialSum exponential_sum(const Attenuation& attenuation, double shortest, double longest,
                               double relative_error);

}  // namespace bombard
