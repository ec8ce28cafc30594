#include "kernels/convolution/sweep_loops.hpp"

// States on their way from one occupied chunk to the next (kernels/convolution/sparse_states.hpp).

namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution {

void cross_gap(const GapStep& step) {
  for (std::int64_t t = 0; t < step.live; t += lanes) {
    const Doubles of_chunk = load(step.chunk_decay + t);
    if (step.adjacent) {
      const Doubles full = load(step.full + t);
      store(load(step.before + t), step.far + t);
      store(full, step.before + t);
      store(full * of_chunk, step.full + t);
      continue;
    }
    Doubles state = load(step.full + t);
    for (int i = 0; i < step.rows_count; ++i) state *= load(step.rows[i] + t);
    store(state, step.far + t);
    store(state * of_chunk, step.before + t);
    store(state * of_chunk * of_chunk, step.full + t);
  }
  for (std::int64_t t = step.live; t < step.terms; t += lanes) {
    store(Doubles{}, step.far + t);
    store(Doubles{}, step.before + t);
    store(Doubles{}, step.full + t);
  }
}

void add_product(double amount, const double* a, const double* b, std::int64_t terms, double* to) {
  for (std::int64_t t = 0; t < terms; t += lanes) {
    store(load(to + t) + amount * load(a + t) * load(b + t), to + t);
  }
}

double sum_of_products(const double* a, const double* b, std::int64_t terms) {
  Doubles sum = {};
  for (std::int64_t t = 0; t < terms; t += lanes) sum += load(a + t) * load(b + t);
  return sum_of_elements<double, BOMBARD_VECTOR_BYTES>(sum);
}

}  // namespace bombard::cpu::BOMBARD_INSTRUCTION_SET::convolution
