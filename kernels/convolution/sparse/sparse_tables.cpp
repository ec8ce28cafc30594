#include "kernels/convolution/sparse/sparse_tables.hpp"

#include <algorithm>
#include <cmath>

namespace bombard::cpu {

namespace {

// All terms that vanish in a gap, of the wanted error.
constexpr double share_of_vanishing = 1e-4;

}  // namespace

SparseTables::SparseTables(const Attenuation& attenuation, double scale, int chunk_bits,
                           double shortest, double longest, double relative_error)
    : sum_(exponential_sum(attenuation, shortest, longest, relative_error)),
      longest_(longest),
      sum_error_(sum_.relative_error) {
  terms_ = sum_.terms_of_row();
  const double cells_of_chunk = std::ldexp(1.0, chunk_bits);
  within_.resize(static_cast<std::size_t>(terms_ << chunk_bits));
  for (std::int64_t m = 0; m < std::int64_t{1} << chunk_bits; ++m) {
    sum_.decay(static_cast<double>(m), within_.data() + m * terms_);
  }
  live_.fill(terms_);
  switch (attenuation.kind) {
    case Attenuation::Kind::power:
      fill_live(attenuation.parameter);
      sum_error_ *= 1 + share_of_vanishing;
      break;
    case Attenuation::Kind::exponential:
      break;  // a single term
  }
  exponents_.resize(static_cast<std::size_t>(terms_));
  chunk_decay_.resize(static_cast<std::size_t>(terms_));
  sum_.decay(cells_of_chunk, chunk_decay_.data());
  factors_.resize(static_cast<std::size_t>(terms_));
  sources_.resize(static_cast<std::size_t>(terms_));
  for (std::size_t t = 0; t < sum_.exponents.size(); ++t) {
    const double a = sum_.exponents[t];
    exponents_[t] = a;
    factors_[t] = (1 + 2 * std::cosh(a)) / 3;
    sources_[t] = scale * sum_.weights[t] * std::exp(-a * (cells_of_chunk + 2));
  }
}

/// For the n cells of a gap: all terms whose a n is at least the result are together a negligible
/// part of n^-b. The largest exponents are a geometric row, so what holds for the terms from the
/// middle one on holds for those from any.
double SparseTables::vanishing_from(double power) const {
  const std::size_t middle = sum_.exponents.size() / 2;
  for (double y = power + 1;; y += 1) {
    const double n = y / sum_.exponents[middle];
    double rest = 0;
    for (std::size_t t = middle; t < sum_.exponents.size(); ++t) {
      rest += sum_.weights[t] * std::exp(-sum_.exponents[t] * n);
    }
    if (rest * std::pow(n, power) <= share_of_vanishing * sum_.relative_error) return y;
  }
}

/// Exponents ascend.
void SparseTables::fill_live(double power) {
  const double vanishing = vanishing_from(power);
  for (std::size_t bits = 1; bits < live_.size(); ++bits) {
    const double least_cells = std::ldexp(1.0, static_cast<int>(bits) - 1);
    const auto vanished = std::ranges::lower_bound(sum_.exponents, vanishing / least_cells);
    const std::int64_t live = vanished - sum_.exponents.begin();
    live_[bits] = (live + line_doubles - 1) / line_doubles * line_doubles;
  }
}

const double* SparseTables::source(std::int64_t relaxations) {
  const auto terms = static_cast<std::size_t>(terms_);
  for (; sources_made_ <= relaxations; ++sources_made_) {
    sources_.resize(sources_.size() + terms);
    double* const row = sources_.data() + sources_made_ * terms_;
    for (std::size_t t = 0; t < terms; ++t) row[t] = factors_[t] * (row - terms)[t];
  }
  return sources_.data() + relaxations * terms_;
}

}  // namespace bombard::cpu
