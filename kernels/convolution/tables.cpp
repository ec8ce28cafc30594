#include "kernels/convolution/tables.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/convolution/exponential_sum.hpp"

namespace bombard {

namespace {

constexpr double half_width = chunk_cells / 2.0;
constexpr int most_coefficients = 2 * parity_coefficients;

/// Bound on the error of the interpolating polynomial of exp(-beta x) in the degree + 1 Chebyshev
/// points of [-1, 1]: twice what its Chebyshev series leaves out, sum over k > degree of 2
/// I_k(beta), where I_k(beta) <= (beta/2)^k / k! exp(beta^2 / (4k + 4)).
double interpolation_error(double beta, int degree) {
  double rest = 0, power = 1;
  for (int k = 1; k < degree + 40; ++k) {
    power *= beta / 2 / k;
    if (k > degree) rest += 2 * power * std::exp(beta * beta / (4 * k + 4));
  }
  return 2 * rest;
}

/// The largest interpolation error of a share of the far field, relative to the share
/// (docs/methods.md). A source at distance m >= 2 from the state has n = m + chunk_cells + j for
/// cell j.
double far_error(const ExponentialSum& sum, double power, int degree) {
  double error = 0;
  for (std::size_t t = 0; t < sum.exponents.size(); ++t) {
    const double a = sum.exponents[t];
    const double last = 2 * chunk_cells - 1;
    const double m = a > 0 ? std::max(2.0, power / a - last)
                           : 2.0;  // where exp(-a m)(m + last)^power is largest
    error += sum.weights[t] * std::exp(-a * (m + chunk_cells + half_width - 0.5)) *
             std::pow(m + last, power) * interpolation_error(a * half_width, degree);
  }
  return 2.1 * error;  // in the chunk that is evaluated and in that of the source
}

/// Coefficients of powers of x of the polynomial through f at the Chebyshev points of [-1, 1].
template <class Function>
std::array<long double, most_coefficients> interpolate(const Function& f, int degree) {
  const int points = degree + 1;
  const auto cosine = [points](int i, int k) {
    return std::cos(std::numbers::pi_v<long double> * k * (i + 0.5L) / points);
  };
  static thread_local std::array<std::array<long double, most_coefficients>, most_coefficients>
      cosines;
  static thread_local int tabulated = 0;
  if (tabulated != points) {
    for (int i = 0; i < points; ++i) {
      for (int k = 0; k < points; ++k) cosines[i][k] = cosine(i, k);
    }
    tabulated = points;
  }
  std::array<long double, most_coefficients> chebyshev{};
  for (int i = 0; i < points; ++i) {
    const long double value = f(cosines[i][1]);
    for (int k = 0; k < points; ++k) {
      chebyshev[k] += value * cosines[i][k] * (k == 0 ? 1 : 2) / points;
    }
  }
  // T_k = 2 x T_(k-1) - T_(k-2), in powers of x.
  std::array<long double, most_coefficients> before{}, current{}, result{};
  before[0] = 1;
  current[1] = 1;
  result[0] = chebyshev[0];
  for (int k = 1; k < points; ++k) {
    for (int i = 0; i <= k; ++i) result[i] += chebyshev[k] * current[i];
    std::array<long double, most_coefficients> next{};
    for (int i = 0; i < points; ++i) next[i] = (i > 0 ? 2 * current[i - 1] : 0) - before[i];
    before = current;
    current = next;
  }
  return result;
}

}  // namespace

ConvolutionTables::ConvolutionTables(double power, double scale, double longest_distance,
                                     double wanted_error)
    : longest(std::max(longest_distance, 4.0 * chunk_cells)) {
  const ExponentialSum sum = exponential_sum(power, chunk_cells + 2, longest, 0.6 * wanted_error);
  degree = far_error(sum, power, 11) <= 0.4 * wanted_error ? 11 : 15;
  relative_error = sum.relative_error + far_error(sum, power, degree);
  exponents = sum.exponents;
  weights = sum.weights;
  terms = (static_cast<std::int64_t>(exponents.size()) + 7) / 8 * 8;
  const auto size = static_cast<std::size_t>(terms);

  const auto filled = [&](double n) {
    AlignedDoubles factors(size);
    decay(n, factors.data());
    return factors;
  };
  chunk_decay = filled(chunk_cells);
  block_decay = filled(chunk_cells * block_chunks);
  moment.resize(size * chunk_cells);
  for (std::int64_t i = 0; i < chunk_cells; ++i) {
    decay(static_cast<double>(i + 2), moment.data() + i * terms);
  }
  powers.resize(chunk_cells * most_coefficients);
  for (std::int64_t j = 0; j < chunk_cells; ++j) {
    const double x = (static_cast<double>(j) - (half_width - 0.5)) / half_width;
    for (int i = 0; i < most_coefficients; ++i) {
      powers[(2 * j + i % 2) * parity_coefficients + i / 2] = std::pow(x, i);
    }
  }
  even_moment.resize(size * parity_coefficients);
  odd_moment.resize(size * parity_coefficients);
  even.resize(size * parity_coefficients);
  odd.resize(size * parity_coefficients);
  shape.resize(exponents.size());
  for (std::size_t t = 0; t < exponents.size(); ++t) {
    const long double a = exponents[t];
    const long double factor = static_cast<long double>(scale) * weights[t] *
                               std::exp(-a * (chunk_cells + half_width - 0.5L));
    const long double from_state = std::exp(-a * (half_width + 1.5L));
    const auto coefficients =
        interpolate([&](long double x) { return std::exp(-a * half_width * x); }, degree);
    for (int i = 0; i < most_coefficients; ++i) {
      (i % 2 == 0 ? even : odd)[t * parity_coefficients + i / 2] =
          static_cast<double>(factor * coefficients[i]);
      (i % 2 == 0 ? even_moment : odd_moment)[i / 2 * size + t] =
          static_cast<double>(from_state * coefficients[i]);
      shape[t][i] = static_cast<double>(coefficients[i]);
    }
  }
  near.resize(4 * chunk_cells);
  for (std::int64_t i = 1; i < 4 * chunk_cells; ++i) {
    const auto d = static_cast<double>(std::abs(i - 2 * chunk_cells));
    near[i] = scale / std::pow(d + 1, power);
  }
  constexpr std::int64_t half = chunk_cells / 2, seen = 3 * chunk_cells;
  near_even.resize(seen / 2 * half);
  near_odd.resize(seen / 2 * half);
  for (std::int64_t p = 0; p < seen / 2; ++p) {
    for (std::int64_t j = 0; j < half; ++j) {
      const double own = near[2 * chunk_cells + chunk_cells + j - p];
      const double mirrored = near[2 * chunk_cells + chunk_cells + j - (seen - 1 - p)];
      near_even[p * half + j] = (own + mirrored) / 2;
      near_odd[p * half + j] = (own - mirrored) / 2;
    }
  }
}

void ConvolutionTables::decay(double n, double* factors) const {
  for (std::size_t t = 0; t < static_cast<std::size_t>(terms); ++t) {
    factors[t] = t < exponents.size() ? std::exp(-exponents[t] * n) : 0;
  }
}

}  // namespace bombard
