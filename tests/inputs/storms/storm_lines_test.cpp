#include "inputs/storms/storm_lines.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "bombard/errors.hpp"
#include "inputs/storms/storm_text.hpp"

namespace bombard {
namespace {

using Impacts = std::vector<Impact>;

std::optional<Impacts> read_all(const std::string& text) {
  return read_storm_lines(text, 2);
}

TEST(StormLines, ReadsOnePairALine) {
  EXPECT_EQ(read_all("2\n4 100\n-8 -60\n"), (Impacts{{4, 100}, {-8, -60}}));
  EXPECT_EQ(read_all("1\n0 0\n"), (Impacts{{0, 0}}));
  EXPECT_EQ(read_all("3\n-2305843009213693952 -2147483648\n12345678 2147483647\n1234567 1\n"),
            (Impacts{{-largest_position, -2147483647 - 1}, {12345678, 2147483647}, {1234567, 1}}));
}

TEST(StormLines, LeavesEveryOtherLookAlone) {
  for (const std::string text : {"1\n4  100\n", "1\n4 +100\n", "1\n4 100\n5 6\n", "2\n4 100\n"}) {
    EXPECT_EQ(read_all(text), std::nullopt) << text;
  }
}

/// A storm of `number` lines, of many lengths.
std::string lines(std::int64_t number, std::mt19937_64& random) {
  std::string text = std::to_string(number) + "\n";
  for (; number > 0; --number) {
    text += std::to_string(static_cast<std::int64_t>(random()) >> (18 + random() % 46)) + " " +
            std::to_string(static_cast<std::int32_t>(random()) >> random() % 32) + "\n";
  }
  return text;
}

// Sections of the text are 2^18 bytes: they end in every place of a line.
TEST(StormLines, AgreesWithTheCarefulReaderWhereverSectionsEnd) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 40; ++trial) {
    const std::string text = lines(20'000 + static_cast<std::int64_t>(random() % 60'000), random);
    ASSERT_EQ(read_all(text), parse_storm(text, "a.txt").impacts);
  }
}

}  // namespace
}  // namespace bombard
