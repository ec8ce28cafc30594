// Engines of a GPU in several ranks, which are threads that share it, against one process.

#include "tests/gpu.hpp"
#include "tests/sim/ranks/engines_in_ranks.hpp"

namespace bombard::tests {
namespace {

constexpr std::int64_t most_cells = 9000;

class RanksOnGpu : public GpuTest {};

TEST_F(RanksOnGpu, InDoubleGiveTheLayerOfOneProcess) {
  for (std::uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    expect_sums_of_one_process("cuda_double", generated(seed, most_cells), seed);
  }
}

TEST_F(RanksOnGpu, InSingleGiveTheDigitsOfOneProcess) {
  for (std::uint64_t seed = 1; seed <= 10 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    for (const char* const name : {"cuda_direct", "cuda_fast"}) {
      Case made = generated(seed, most_cells);
      if (seed % 3 == 0) made.rule = {.edition = Edition::first, .threshold = 30};
      expect_digits_of_one_process(name, made, true);
    }
  }
}

}  // namespace
}  // namespace bombard::tests
