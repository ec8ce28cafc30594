#include "kernels/convolution/sparse_tables.hpp"

#include <algorithm>
#include <cmath>

namespace bombard::cpu {

namespace {

// A row of a digit is the product of the row of its lowest bits and that of the others: 24 rows of
// exponentials for 128.
constexpr int low_bits = 3;

// A term of a power of which y = a n is larger, n the cells of a gap, vanishes: of a share it is
// h y^b e^-y / Gamma(b) (docs/methods.md, Sparse).
constexpr double vanishing = 90;

}  // namespace

SparseTables::SparseTables(const Attenuation& attenuation, double scale, int chunk_bits,
                           double shortest, double longest, double relative_error)
    : sum_(exponential_sum(attenuation, shortest, longest, relative_error)),
      digits_(1),
      longest_(longest),
      sum_error_(sum_.relative_error) {
  const auto lines =
      (static_cast<std::int64_t>(sum_.exponents.size()) + line_doubles - 1) / line_doubles;
  terms_ = lines * line_doubles;
  const double cells_of_chunk = std::ldexp(1.0, chunk_bits);
  while (std::ldexp(cells_of_chunk, digits_ * digit_bits) < longest) ++digits_;

  within_.resize(static_cast<std::size_t>(terms_ << chunk_bits));
  fill(1, chunk_bits, within_.data());
  const std::int64_t rows_of_digit = terms_ << digit_bits;
  gaps_.resize(static_cast<std::size_t>(rows_of_digit * digits_));
  for (int digit = 0; digit < digits_; ++digit) {
    fill(std::ldexp(cells_of_chunk, digit * digit_bits), digit_bits,
         gaps_.data() + digit * rows_of_digit);
  }

  live_.fill(terms_);
  if (attenuation.kind == Attenuation::Kind::power) fill_live(cells_of_chunk);
  factors_.resize(static_cast<std::size_t>(terms_));
  sources_.resize(static_cast<std::size_t>(terms_));
  for (std::size_t t = 0; t < sum_.exponents.size(); ++t) {
    const double a = sum_.exponents[t];
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

void SparseTables::fill(double span, int bits, double* rows) const {
  const std::int64_t low = std::int64_t{1} << std::min(low_bits, bits);
  const std::int64_t count = std::int64_t{1} << bits;
  for (std::int64_t v = 0; v < count; v += v < low ? 1 : low) {
    for (std::size_t t = 0; t < sum_.exponents.size(); ++t) {
      rows[v * terms_ + static_cast<std::int64_t>(t)] =
          std::exp(-sum_.exponents[t] * (span * static_cast<double>(v)));
    }
  }
  for (std::int64_t v = low; v < count; ++v) {
    if (v % low == 0) continue;
    const double* const of_low = rows + v % low * terms_;
    const double* const of_others = rows + (v - v % low) * terms_;
    for (std::int64_t t = 0; t < terms_; ++t) rows[v * terms_ + t] = of_low[t] * of_others[t];
  }
}

const double* SparseTables::source(std::int64_t relaxations) {
  const auto terms = static_cast<std::size_t>(terms_);
  for (std::size_t made = sources_.size() / terms; made <= static_cast<std::size_t>(relaxations);
       ++made) {
    sources_.resize((made + 1) * terms);
    double* const row = sources_.data() + made * terms;
    for (std::size_t t = 0; t < terms; ++t) row[t] = factors_[t] * (row - terms)[t];
  }
  return sources_.data() + relaxations * terms_;
}

void SparseTables::set_rows(std::int64_t chunks, GapStep& step) const {
  constexpr std::int64_t values = std::int64_t{1} << digit_bits;
  const double* digit = gaps_.data();
  step.rows_count = 0;
  step.live = live_terms(chunks);
  for (; chunks > 0; chunks >>= digit_bits, digit += values * terms_) {
    if (chunks % values > 0) step.rows[step.rows_count++] = digit + chunks % values * terms_;
  }
}

}  // namespace bombard::cpu
