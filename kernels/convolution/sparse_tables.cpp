#include "kernels/convolution/sparse_tables.hpp"

#include <algorithm>
#include <cmath>

namespace bombard::cpu {

namespace {

// A row is the product of the row of its lowest bits and that of the others: 24 rows of
// exponentials for 128.
constexpr std::int64_t low = 8;

// A term of a power of which y = a n is larger, n the cells of a gap, vanishes: of a share it is
// h y^b e^-y / Gamma(b) (docs/methods.md, Sparse).
constexpr double vanishing = 90;

}  // namespace

SparseTables::SparseTables(const Attenuation& attenuation, double scale, int chunk_bits,
                           double shortest, double longest, double relative_error)
    : sum_(exponential_sum(attenuation, shortest, longest, relative_error)),
      longest_(longest),
      sum_error_(sum_.relative_error) {
  const auto lines =
      (static_cast<std::int64_t>(sum_.exponents.size()) + line_doubles - 1) / line_doubles;
  terms_ = lines * line_doubles;
  const double cells_of_chunk = std::ldexp(1.0, chunk_bits);
  fill_within(std::int64_t{1} << chunk_bits);
  live_.fill(terms_);
  if (attenuation.kind == Attenuation::Kind::power) fill_live(cells_of_chunk);
  exponents_.resize(static_cast<std::size_t>(terms_));
  chunk_decay_.resize(static_cast<std::size_t>(terms_));
  factors_.resize(static_cast<std::size_t>(terms_));
  sources_.resize(static_cast<std::size_t>(terms_));
  for (std::size_t t = 0; t < sum_.exponents.size(); ++t) {
    const double a = sum_.exponents[t];
    exponents_[t] = a;
    chunk_decay_[t] = std::exp(-a * cells_of_chunk);
    factors_[t] = (1 + 2 * std::cosh(a)) / 3;
    sources_[t] = scale * sum_.weights[t] * std::exp(-a * (cells_of_chunk + 2));
  }
}

/// Exponents ascend.
void SparseTables::fill_live(double cells_of_chunk) {
  for (std::size_t bit = 0; bit < live_.size(); ++bit) {
    const double cells = std::ldexp(cells_of_chunk, static_cast<int>(bit));
    const auto vanished = std::ranges::upper_bound(sum_.exponents, vanishing / cells);
    const std::int64_t live = vanished - sum_.exponents.begin();
    live_[bit] = (live + line_doubles - 1) / line_doubles * line_doubles;
  }
}

void SparseTables::fill_within(std::int64_t cells_of_chunk) {
  within_.resize(static_cast<std::size_t>(terms_ * cells_of_chunk));
  double* const rows = within_.data();
  for (std::int64_t m = 0; m < cells_of_chunk; m += m < low ? 1 : low) {
    for (std::size_t t = 0; t < sum_.exponents.size(); ++t) {
      rows[m * terms_ + static_cast<std::int64_t>(t)] =
          std::exp(-sum_.exponents[t] * static_cast<double>(m));
    }
  }
  for (std::int64_t m = low; m < cells_of_chunk; ++m) {
    if (m % low == 0) continue;
    const double* const of_low = rows + m % low * terms_;
    const double* const of_others = rows + (m - m % low) * terms_;
    for (std::int64_t t = 0; t < terms_; ++t) rows[m * terms_ + t] = of_low[t] * of_others[t];
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
