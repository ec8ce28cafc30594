#include "kernels/convolution/cpu/patches.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace bombard::cpu {
namespace {

// The table ends with distance 2^20.
TEST(Patches, SharesBeyondTheTableAreComputed) {
  constexpr std::int64_t last = 1 << 20;
  AttenuationTable attenuation(square_root_attenuation, 1);
  attenuation.cover(2 * last);
  for (const std::int64_t n : {last - 1, last, last + 1}) {
    const std::array<Patch, 1> patch{{{.at = 1 - n, .amounts = {3, 0}, .begin = 0, .end = 1}}};
    EXPECT_DOUBLE_EQ(sum_patches(patch, attenuation, 0, 1)[0], 3 / std::sqrt(n));
  }
}

}  // namespace
}  // namespace bombard::cpu
