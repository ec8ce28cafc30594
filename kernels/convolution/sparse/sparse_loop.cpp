#include "kernels/convolution/cpu/sweep_loops.hpp"

// States on their way from one occupied chunk to the next
// (kernels/convolution/sparse/sparse_states.hpp).

namespace bombard::cpu::convolution {

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
