#include "kernels/convolution/cpu/sweep_loops.hpp"

// States on their way from one occupied chunk to the next
// (kernels/convolution/sparse/sparse_states.hpp).

namespace bombard::cpu::convolution {

namespace {

using Integers = Vector<std::int64_t, vector_bytes>;

/// exp(-x) for x >= 0, off by less than 2 roundings; 0 where it is below the normal numbers of
/// binary64. x = n ln 2 + r, |r| <= ln 2 / 2, and exp(-r) is a Taylor polynomial whose remainder is
/// 4e-18 (W. J. Cody, W. Waite, "Software Manual for the Elementary Functions", 1980).
Doubles decay(Doubles x) {
  constexpr double largest = 708;
  constexpr double integer_digits_last = 0x1.8p52;  // a sum with it ends with the digits of n
  constexpr double upper_ln2 = 0x1.62e42feep-1, lower_ln2 = 0x1.a39ef35793c76p-33;
  constexpr double per_ln2 = 0x1.71547652b82fep0;
  constexpr double odd[] = {-1.0 / 6227020800, -1.0 / 39916800, -1.0 / 362880,
                            -1.0 / 5040,       -1.0 / 120,      -1.0 / 6};
  constexpr double even[] = {1.0 / 479001600, 1.0 / 3628800, 1.0 / 40320, 1.0 / 720, 1.0 / 24, 0.5};
  const Doubles shifted = x * per_ln2 + integer_digits_last;
  const Doubles n = shifted - integer_digits_last;
  const Doubles r = (x - n * upper_ln2) - n * lower_ln2;
  const Doubles square = r * r;
  Doubles of_odd = {}, of_even = {};  // side by side, because each waits for its step before
  for (int i = 0; i < 6; ++i) {
    of_odd = of_odd * square + odd[i];
    of_even = of_even * square + even[i];
  }
  const Doubles sum = (of_odd * r + of_even) * square - r + 1;
  constexpr std::int64_t exponent_of_1 = 1023;
  constexpr int exponent_begins = 52;
  const Integers power =
      (exponent_of_1 << exponent_begins) - (reinterpret_cast<Integers>(shifted) << exponent_begins);
  const Doubles result = sum * reinterpret_cast<Doubles>(power);
  return reinterpret_cast<Doubles>(reinterpret_cast<Integers>(result) & (x < largest));
}

}  // namespace

std::int64_t cross_gap(const GapStep& step) {
  if (step.adjacent) {
    for (std::int64_t t = 0; t < step.terms; t += lanes) {
      const Doubles full = load(step.full + t);
      store(load(step.before + t), step.far + t);
      store(full, step.before + t);
      store(full * load(step.chunk_decay + t), step.full + t);
    }
    return step.terms;
  }
  std::int64_t live = 0;  // exponents are in ascending order
  for (; live < step.terms && step.exponents[live] * step.cells < step.vanishing; live += lanes) {
    const Doubles chunk_decay = load(step.chunk_decay + live);
    const Doubles state = load(step.full + live) * decay(load(step.exponents + live) * step.cells);
    store(state, step.far + live);
    store(state * chunk_decay, step.before + live);
    store(state * chunk_decay * chunk_decay, step.full + live);
  }
  for (std::int64_t t = live; t < step.terms; t += lanes) {
    store(Doubles{}, step.before + t);
    store(Doubles{}, step.full + t);
  }
  return live;
}

void add_product(double amount, const double* a, const double* b, std::int64_t terms, double* to) {
  for (std::int64_t t = 0; t < terms; t += lanes) {
    store(load(to + t) + amount * load(a + t) * load(b + t), to + t);
  }
}

double sum_of_products(const double* a, const double* b, std::int64_t terms) {
  Doubles sum = {};
  for (std::int64_t t = 0; t < terms; t += lanes) sum += load(a + t) * load(b + t);
  return sum_of_elements<double, vector_bytes>(sum);
}

}  // namespace bombard::cpu::convolution
