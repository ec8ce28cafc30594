#include "kernels/convolution/exponential_sum.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "kernels/base/unit_roundoff.hpp"
#include "kernels/convolution/chunks.hpp"

namespace bombard {

namespace {

// The bounds below are those of docs/roundings.md, The exponential sum. The wanted error is divided
// among the step of the trapezoidal rule, the two ends where the rule is cut off, and the Gauss
// rule.
constexpr double share_of_step = 0.5;
constexpr double share_of_ends = 0.1;
constexpr double share_of_gauss = 0.25;
// The error of rounding nodes and weights to double: a few units in the last place.
constexpr double rounding = 1e-15;

// From this exponent on, exp(-a n) is 0 in binary64 at all far distances, n > 64.
constexpr double steepest = 12;
// Arguments of exponentials are rounded four times (a itself; docs/roundings.md, On the CPU), and
// shares whose argument is larger than largest_argument are 0 in binary64.
constexpr double argument_roundings = 4;
constexpr double largest_argument = 745;

using Numbers = Eigen::VectorX<long double>;

struct Measure {
  Numbers nodes, weights;
};

/// Upper bound on |Gamma(power + iy)| / Gamma(power), from the product of
/// (1 + y^2/(power+k)^2)^(-1/2) over k >= 0; an integral bounds the factors beyond the first ones.
double gamma_decay(double power, double y) {
  constexpr int factors = 40;
  double product = 1;  // far from overflow: y < 400
  for (int k = 0; k < factors; ++k) {
    const double x = y / (power + k);
    product *= 1 + x * x;
  }
  const double a = power + factors;
  const double rest = 2 * y * std::atan2(y, a) - a * std::log1p(y * y / (a * a));
  return std::exp(-0.5 * (std::log(product) + rest));
}

/// Relative error of the infinite trapezoidal rule with step h for every n > 0 (Poisson summation).
double error_of_step(double power, double h) {
  double error = 0;
  for (int m = 1; m <= 3; ++m) error += 2 * gamma_decay(power, 2 * std::numbers::pi * m / h);
  return error * 1.01;  // m > 3: each term is less than a hundredth of the first
}

/// The largest step with this error, or smaller by 1e-7 at most, which adds no term.
double largest_step(double power, double error) {
  constexpr int halvings = 24;
  double low = 0.05, high = 2;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (error_of_step(power, middle) <= error ? low : high) = middle;
  }
  return low;
}

/// Where the rule may begin: z = longest e^t for which all nodes below together weigh less than
/// `error`.
double lower_cut(double power, double h, double error) {
  return std::pow(error * std::tgamma(power) * -std::expm1(-power * h) / h, 1 / power);
}

/// Where it may end: z = shortest e^t for which all nodes above together weigh less than `error`.
double upper_cut(double power, double h, double error) {
  const double scale = h / std::tgamma(power);
  const double ratio = std::exp(h);
  double z = 2 * (power + 1);
  for (;; z *= 1.05) {
    double rest = 0;
    for (double y = z; y < 800; y *= ratio) rest += scale * std::pow(y, power) * std::exp(-y);
    if (rest <= error) return z;
  }
}

/// Error of an m-point Gauss rule for exp(-n a) over 0 <= n a <= z, for a measure of total mass 1:
/// twice the distance of the function from the polynomials of degree 2m-1, by its Chebyshev series.
double error_of_gauss(int m, double z) {
  double distance = 0;
  for (int k = 2 * m; k < 2 * m + 12; ++k) distance += 2 * std::cyl_bessel_i(k, z / 2);
  return 2.1 * std::exp(-z / 2) * distance;
}

/// Gauss rule of `points` points for a discrete measure: the nodes are the eigenvalues of its
/// Jacobi matrix, which comes from Lanczos with full orthogonalisation, done twice each time, and
/// the weights are the squares of the first elements of its eigenvectors (Golub and Welsch,
/// "Calculation of Gauss quadrature rules", 1969).
Measure gauss_rule(const Measure& measure, std::int64_t points) {
  const long double mass = measure.weights.sum();
  const long double largest =
      measure.nodes[measure.nodes.size() - 1];                      // Eigen expects values near 1
  Eigen::MatrixX<long double> basis(measure.nodes.size(), points);  // orthonormal columns
  Numbers diagonal(points), beside(points);
  Numbers next = (measure.weights / mass).cwiseSqrt();
  for (std::int64_t j = 0; j < points; ++j) {
    basis.col(j) = next;
    next = next.cwiseProduct(measure.nodes / largest).eval();
    diagonal[j] = basis.col(j).dot(next);
    const auto known = basis.leftCols(j + 1);
    for (int repeat = 0; repeat < 2; ++repeat) next -= known * (known.transpose() * next).eval();
    beside[j] = next.norm();
    next /= beside[j];
  }
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixX<long double>> jacobi;
  jacobi.computeFromTridiagonal(diagonal, beside.head(points - 1));
  return {largest * jacobi.eigenvalues(),
          mass * jacobi.eigenvectors().row(0).cwiseAbs2().transpose()};
}

/// The nodes and weights of the trapezoidal rule, cut at both ends.
Measure trapezoidal_rule(double power, double shortest, double longest, double error) {
  const double h = largest_step(power, share_of_step * error);
  const double z_low = lower_cut(power, h, share_of_ends * error);
  const double z_high = upper_cut(power, h, share_of_ends * error);
  const double first = std::log(z_low / longest);
  const auto count =
      static_cast<std::int64_t>(std::ceil((std::log(z_high / shortest) - first) / h)) + 1;
  Measure rule{Numbers(count), Numbers(count)};
  for (std::int64_t k = 0; k < count; ++k) {
    const long double t = first + static_cast<double>(k) * h;
    rule.nodes[k] = std::exp(t);
    rule.weights[k] = h * std::exp(power * t) / std::tgamma(power);
  }
  return rule;
}

/// The rule with its first nodes, those below most_z / longest, replaced by a Gauss rule of the
/// fewest points that keep the error. Other limits would save one or two more terms.
Measure with_gauss_rule(const Measure& rule, double power, double longest, double error) {
  constexpr double most_z = 10;
  const std::int64_t nodes =
      (rule.nodes.array() < static_cast<long double>(most_z / longest)).count();
  if (nodes == 0) return rule;
  const auto mass = static_cast<double>(rule.weights.head(nodes).sum());
  const auto z = static_cast<double>(rule.nodes[nodes - 1]) * longest;
  const double limit = share_of_gauss * error / (mass * std::pow(longest, power));
  std::int64_t points = 2;
  while (points < nodes && error_of_gauss(static_cast<int>(points), z) > limit) ++points;
  if (points >= nodes) return rule;
  const Measure gauss = gauss_rule({rule.nodes.head(nodes), rule.weights.head(nodes)}, points);
  const std::int64_t others = rule.nodes.size() - nodes;
  Measure joined{Numbers(points + others), Numbers(points + others)};
  joined.nodes << gauss.nodes, rule.nodes.tail(others);
  joined.weights << gauss.weights, rule.weights.tail(others);
  return joined;
}

ExponentialSum sum_of_power(double power, double shortest, double longest, double relative_error) {
  const double error = relative_error - rounding / 2;
  const auto [nodes, weights] =
      with_gauss_rule(trapezoidal_rule(power, shortest, longest, error), power, longest, error);
  return {{nodes.begin(), nodes.end()}, {weights.begin(), weights.end()}, relative_error};
}

}  // namespace

ExponentialSum exponential_sum(const Attenuation& attenuation, double shortest, double longest,
                               double relative_error) {
  const auto [power, range] = attenuation;
  ExponentialSum sum = power == 0 ? ExponentialSum{{0}, {1}, 0}
                                  : sum_of_power(power, shortest, longest, relative_error);
  if (std::isinf(range)) return sum;
  sum.damping = std::min(1 / range, steepest);
  for (double& a : sum.exponents) a += sum.damping;
  for (double& weight : sum.weights) weight *= std::exp(sum.damping);
  const double roundings =
      argument_roundings * std::min(sum.damping * longest, largest_argument) + 2;
  sum.relative_error += roundings * unit_roundoff_binary64;
  return sum;
}

std::int64_t ExponentialSum::terms_of_row() const {
  const auto terms = static_cast<std::int64_t>(exponents.size());
  return (terms + line_doubles - 1) / line_doubles * line_doubles;
}

void ExponentialSum::decay(double n, double* row) const {
  const auto end =
      std::ranges::transform(exponents, row, [&](double a) { return std::exp(-a * n); });
  std::fill(end.out, row + terms_of_row(), 0.0);
}

}  // namespace bombard
