#include "tests/sim/engines/double/fourier_oracle.hpp"

#include <cmath>
#include <complex>
#include <future>
#include <numbers>
#include <utility>

namespace oracle {

namespace {

using Complex = std::complex<double>;

Complex product(Complex a, Complex b) {  // without what C++ does for infinities
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Cooley and Tukey by halves, powers of two. Frequencies come out in bit-reversed order, and
/// backward() takes them so.
class Transform {
 public:
  explicit Transform(std::size_t size) {
    roots_.resize(size);  // those of size m at m/2 .. m-1
    for (std::size_t j = 0; j < size / 2; ++j) {
      const double angle =
          -2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(size);
      roots_[size / 2 + j] = std::polar(1.0, angle);
    }
    for (std::size_t i = size / 2; i-- > 1;) roots_[i] = roots_[2 * i];
  }

  void forward(Complex* values, std::size_t size) const {
    if (size == 1) return;
    Complex* const upper = values + size / 2;
    for (std::size_t j = 0; j < size / 2; ++j) {
      const Complex difference = values[j] - upper[j];
      values[j] += upper[j];
      upper[j] = product(difference, roots_[size / 2 + j]);
    }
    halves(values, size, [this](Complex* half, std::size_t m) { forward(half, m); });
  }

  void backward(Complex* values, std::size_t size) const {
    if (size == 1) return;
    halves(values, size, [this](Complex* half, std::size_t m) { backward(half, m); });
    Complex* const upper = values + size / 2;
    for (std::size_t j = 0; j < size / 2; ++j) {
      const Complex turned = product(upper[j], std::conj(roots_[size / 2 + j]));
      upper[j] = values[j] - turned;
      values[j] += turned;
    }
  }

 private:
  template <class Work>
  static void halves(Complex* values, std::size_t size, const Work& work) {
    if (size < (std::size_t{1} << 22)) {
      work(values, size / 2);
      work(values + size / 2, size / 2);
      return;
    }
    const auto other = std::async(std::launch::async, [&] { work(values + size / 2, size / 2); });
    work(values, size / 2);
  }

  std::vector<Complex> roots_;
};

}  // namespace

TwoSums convolved(const std::vector<double>& first, const std::vector<double>& second) {
  const std::size_t cells = first.size();
  std::size_t size = 1;
  while (size < 2 * cells) size *= 2;  // nothing wraps around
  const Transform transform(size);

  std::vector<Complex> kernel(size);
  for (std::size_t n = 0; n < cells; ++n) {
    kernel[n] = kernel[(size - n) % size] = 1 / std::sqrt(static_cast<double>(n + 1));
  }
  transform.forward(kernel.data(), size);
  std::vector<Complex> values(size);
  for (std::size_t k = 0; k < cells; ++k) values[k] = {first[k], second[k]};
  transform.forward(values.data(), size);
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = product(values[i], kernel[i]) / static_cast<double>(size);
  }
  transform.backward(values.data(), size);

  TwoSums sums;
  for (std::size_t k = 0; k < cells; ++k) {
    sums.first.push_back(values[k].real());
    sums.second.push_back(values[k].imag());
  }
  return sums;
}

}  // namespace oracle
