#include "kernels/convolution/sparse/sparse_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bombard::cpu {

namespace {

// All terms of a power up to 8 whose a n is at least this, n the cells of a gap, are together less
// than 1e-17 of n^-b (docs/roundings.md, Sparse). The single term of an exponential never vanishes.
double vanishing_from(const Attenuation& attenuation) {
  switch (attenuation.kind) {
    case Attenuation::Kind::power:
      return 40 + 5 * attenuation.parameter;
    case Attenuation::Kind::exponential:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

SparseTables::SparseTables(const Attenuation& attenuation, double scale, int chunk_bits,
                           double shortest, double longest, double relative_error)
    : sum_(exponential_sum(attenuation, shortest, longest, relative_error)),
      longest_(longest),
      vanishing_(vanishing_from(attenuation)),
      terms_(sum_.terms_of_row()) {
  const double cells_of_chunk = std::ldexp(1.0, chunk_bits);
  within_.resize(static_cast<std::size_t>(terms_ << chunk_bits));
  for (std::int64_t m = 0; m < std::int64_t{1} << chunk_bits; ++m) {
    sum_.decay(static_cast<double>(m), within_.data() + m * terms_);
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

std::int64_t SparseTables::live_terms(std::int64_t cells) const {
  const double vanishing = vanishing_ / static_cast<double>(cells);
  const auto live = std::ranges::lower_bound(sum_.exponents, vanishing) - sum_.exponents.begin();
  return (live + line_doubles - 1) / line_doubles * line_doubles;
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
