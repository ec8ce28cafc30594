#include "sim/generation.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

#include "bombard/errors.hpp"

namespace bombard {
namespace {

using Impacts = std::vector<Impact>;

// A change here, or of the samples, changes every generated storm in the world: it must not happen
// by accident.
TEST(Generation, GivesTheSameStormForever) {
  EXPECT_EQ(generate_storm(1000000000, 4, -1000, 1000, 2018U, 1).impacts,
            (Impacts{{806127578, -438}, {928747051, -479}, {432849824, -618}, {949298572, 498}}));
  EXPECT_EQ(
      generate_storm(1729382256910270463, 4, -2147483647, 2147483647, 18446744073709551615U, 0)
          .impacts,
      (Impacts{{1702470236110873387, -919370653},
               {980757134980441160, 13945465},
               {1570694237783781103, 1007593863},
               {9876904421296323, -203115780}}));
  // One number is redrawn here: it would have favoured a position.
  EXPECT_EQ(generate_storm(std::int64_t{3} << 59, 3, 1, 2, 2U, 0).impacts,
            (Impacts{{171178789130931757, 2}, {817555295896129993, 1}, {733842670685068911, 1}}));
}

// 200000 draws over 10 values: each is expected 20000 times, standard deviation 134.
TEST(Generation, IsUniform) {
  std::map<std::int64_t, int> positions, energies;
  for (const Impact& impact : generate_storm(10, 200000, -4, 5, 3, 0).impacts) {
    ++positions[impact.position];
    ++energies[impact.energy];
  }
  for (int value = 0; value < 10; ++value) {
    EXPECT_NEAR(positions[value], 20000, 5 * 134);
    EXPECT_NEAR(energies[value - 4], 20000, 5 * 134);
  }
}

TEST(Generation, AcceptsTheLimits) {
  EXPECT_EQ(generate_storm(1, 2, 7, 7, 0, 0).impacts, (Impacts{{0, 7}, {0, 7}}));
  for (const Impact& impact :
       generate_storm(largest_position, 1000, -2147483647 - 1, 2147483647, 1, 0).impacts) {
    ASSERT_TRUE(impact.position >= 0 && impact.position < largest_position);
  }
}

TEST(Generation, RejectsWhatItCannotGenerate) {
  EXPECT_THROW(generate_storm(0, 1, 1, 2, 0, 0), InputError);
  EXPECT_THROW(generate_storm(largest_position + 1, 1, 1, 2, 0, 0), InputError);
  EXPECT_THROW(generate_storm(60, -1, 1, 2, 0, 0), InputError);
  EXPECT_THROW(generate_storm(60, 1, 3, 2, 0, 0), InputError);
  EXPECT_THROW(generate_storm(60, 1000000000000000, 1, 2, 0, 0), CannotRun);
}

}  // namespace
}  // namespace bombard
