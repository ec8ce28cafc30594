#include "kernels/convolution/tables.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/base/unit_roundoff.hpp"

namespace bombard {

namespace {

constexpr double half_width = chunk_cells / 2.0;

// The wanted error is divided between the exponential sum and the polynomials. (The polynomials may
// take more: relative_error includes it.)
constexpr double share_of_sum = 0.6;
constexpr double share_of_polynomials = 0.4;
// Polynomials may always have this error: the roundings of a layer amount to as much.
constexpr double error_of_roundings = 7.5e-13;

/// Bound on the error of the interpolating polynomial of exp(-beta x) in the polynomial_degree + 1
/// Chebyshev points of [-1, 1]: twice what its Chebyshev series leaves out, sum over k >
/// polynomial_degree of 2 I_k(beta), where I_k(beta) <= (beta/2)^k / k! exp(beta^2 / (4k + 4)).
double interpolation_error(double beta) {
  constexpr double largest_beta = 40;  // up to here, the 40 terms below are the whole sum
  if (beta > largest_beta) return std::numeric_limits<double>::infinity();
  double rest = 0, power = 1;
  for (int k = 1; k < polynomial_degree + 40; ++k) {
    power *= beta / 2 / k;
    if (k > polynomial_degree) rest += 2 * power * std::exp(beta * beta / (4 * k + 4));
  }
  return 2 * rest;
}

// The roundings of at most 136 terms and 13 more are relative to the largest value of the
// polynomial, the share at the least distance of a chunk, 65, while the share itself may be the one
// 127 cells farther away (docs/roundings.md).
double roundings_of_polynomial(const Attenuation& attenuation) {
  constexpr double near = 65, far = 192;
  return 149 * std::pow(far / near, attenuation.power) * std::exp((far - near) / attenuation.range);
}

/// The largest interpolation error of a share of the far field, relative to the share
/// (docs/roundings.md). A source at distance m >= 2 from the state has n = m + chunk_cells + j for
/// cell j; the cell farthest from the state has the largest error.
double far_error(const ExponentialSum& sum, double power, double longest) {
  constexpr double last = 2 * chunk_cells - 1, middle = chunk_cells + half_width - 0.5;
  double error = 0;
  for (std::size_t t = 0; t < sum.exponents.size(); ++t) {
    const double a = sum.exponents[t], of_power = a - sum.damping;
    // Where exp(-of_power m) (m + last)^power is largest.
    const double m = std::clamp(of_power > 0 ? power / of_power - last : longest, 2.0, longest);
    error += sum.weights[t] * std::exp(-of_power * (m + middle)) * std::pow(m + last, power) *
             std::exp(sum.damping * (last - middle - 1)) * interpolation_error(a * half_width);
  }
  return 2.1 * error;  // in the chunk of the cell and in the source's chunk
}

}  // namespace

ConvolutionTables::ConvolutionTables(const Attenuation& attenuation, double scale,
                                     double longest_distance, double wanted_error)
    : longest(std::max(longest_distance, 4.0 * chunk_cells)),
      sum(exponential_sum(attenuation, chunk_cells + 2, longest, share_of_sum * wanted_error)),
      terms(sum.terms_of_row()) {
  const double polynomial_error = far_error(sum, attenuation.power, longest);
  polynomial_roundings = roundings_of_polynomial(attenuation);
  polynomials_serve =
      polynomial_error <= std::max(share_of_polynomials * wanted_error, error_of_roundings) &&
      polynomial_roundings * unit_roundoff_binary64 <= wanted_error;
  if (!polynomials_serve) polynomial_roundings = 0;
  relative_error = sum.relative_error + (polynomials_serve ? polynomial_error : 0);
  fill_exponentials();
  fill_polynomials(scale);
  if (!polynomials_serve) fill_target(scale);
  near.resize(4 * chunk_cells);
  for (std::int64_t i = 1; i < 4 * chunk_cells; ++i) {
    const auto d = static_cast<double>(std::abs(i - 2 * chunk_cells));
    near[i] = scale * attenuated(attenuation, d + 1);
  }
}

void ConvolutionTables::fill_exponentials() {
  const auto size = static_cast<std::size_t>(terms);
  exponents.assign(size, std::numeric_limits<double>::infinity());
  std::ranges::copy(sum.exponents, exponents.begin());
  chunk_decay.resize(size);
  sum.decay(chunk_cells, chunk_decay.data());
  moment.resize(size * chunk_cells);
  for (std::int64_t i = 0; i < chunk_cells; ++i) {
    sum.decay(static_cast<double>(i + 2), moment.data() + i * terms);
  }
}

void ConvolutionTables::fill_polynomials(double scale) {
  for (AlignedDoubles* table : {&even, &odd}) {
    table->resize(static_cast<std::size_t>(terms) * parity_coefficients);
  }
  // The polynomial has the values of the exponential in the Chebyshev points.
  using Numbers = Eigen::Vector<long double, polynomial_degree + 1>;
  Numbers points;
  for (int i = 0; i <= polynomial_degree; ++i) {
    points[i] = std::cos(std::numbers::pi_v<long double> * (i + 0.5L) / (polynomial_degree + 1));
  }
  Eigen::Matrix<long double, polynomial_degree + 1, polynomial_degree + 1> powers;
  powers.col(0).setOnes();
  for (int i = 1; i <= polynomial_degree; ++i) {
    powers.col(i) = powers.col(i - 1).cwiseProduct(points);
  }
  const auto equations = powers.partialPivLu();
  for (std::size_t t = 0; t < sum.exponents.size(); ++t) {
    const long double a = sum.exponents[t];
    const long double factor = static_cast<long double>(scale) * sum.weights[t] *
                               std::exp(-a * (chunk_cells + half_width - 0.5L));
    const Numbers values = (-a * half_width * points.array()).exp();
    const Numbers coefficients = factor * equations.solve(values);
    for (int i = 0; i <= polynomial_degree; ++i) {
      (i % 2 == 0 ? even : odd)[t * parity_coefficients + i / 2] =
          static_cast<double>(coefficients[i]);
    }
  }
}

void ConvolutionTables::fill_target(double scale) {
  target.resize(static_cast<std::size_t>(terms * chunk_cells));
  for (std::size_t t = 0; t < sum.exponents.size(); ++t) {
    for (std::int64_t j = 0; j < chunk_cells; ++j) {
      target[t * chunk_cells + static_cast<std::size_t>(j)] =
          scale * sum.weights[t] *
          std::exp(-sum.exponents[t] * static_cast<double>(j + chunk_cells));
    }
  }
}

}  // namespace bombard
