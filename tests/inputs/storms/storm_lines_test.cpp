#include "inputs/storms/storm_lines.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "bombard/errors.hpp"
#include "inputs/storms/storm_text.hpp"
#include "tests/inputs/damage.hpp"

namespace bombard {
namespace {

using Impacts = std::vector<Impact>;
using namespace std::string_literals;

std::optional<Impacts> read_all(const std::string& text) {
  auto all = read_storm_lines(text, StormPart::whole(2));
  if (!all) return {};
  return std::move(all->impacts);
}

TEST(StormLines, ReadsOnePairALine) {
  EXPECT_EQ(read_all("2\n4 100\n-8 -60\n"), (Impacts{{4, 100}, {-8, -60}}));
  EXPECT_EQ(read_all("1\n0 0\n"), (Impacts{{0, 0}}));
  EXPECT_EQ(read_all("3\n-99999999999999 -2147483648\n12345678 2147483647\n1234567 1\n"),
            (Impacts{{-99999999999999, -2147483647 - 1}, {12345678, 2147483647}, {1234567, 1}}));
}

TEST(StormLines, LeavesEveryOtherLookAlone) {
  std::vector<std::string> texts{"", "\n", "0\n", "1", "1\n", "x\n", "1\n4 100", "1 \n4 100\n"};
  // Lines of a storm of one impact, and storms of two.
  for (const std::string& line : {"4  100"s,
                                  " 4 100"s,
                                  "4 100 "s,
                                  "4\t100"s,
                                  "4 100\n"s,
                                  "+4 100"s,
                                  "4 +100"s,
                                  "4 1e2"s,
                                  "- 100"s,
                                  "4 -"s,
                                  "--4 100"s,
                                  "4 2147483648"s,
                                  "4 -2147483649"s,
                                  "123456789012345 1"s,
                                  "1234567890123456 1"s,
                                  "12345678901234567 1"s,
                                  "4 100\n5 6"s,
                                  "4:100"s,
                                  "4 10/"s,
                                  "\xB4 100"s,
                                  "4 1\0"s}) {
    texts.push_back("1\n" + line + "\n");
  }
  for (const std::string& end : {"4 100\n"s, "4 100\n5\n"s, "4 100 5\n6\n"s}) {
    texts.push_back("2\n" + end);
  }
  texts.insert(texts.end(), {"1\r\n4 100\r\n", "1\n4 1\0"s});
  for (const std::string& text : texts) {
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

TEST(StormLines, FindsDamageInEverySection) {
  std::mt19937_64 random(2);
  const std::string sound = lines(60'000, random);
  ASSERT_NE(read_all(sound), std::nullopt);
  for (int trial = 0; trial < 100; ++trial) {
    std::string text = sound;
    text[random() % text.size()] = 'x';
    EXPECT_EQ(read_all(text), std::nullopt);
  }
  EXPECT_EQ(read_all("3\n" + std::string(std::size_t{1} << 20, '1') + "\n1 1\n1 1\n"),
            std::nullopt);
}

// From a damaged text it reads the same as the careful reader.
TEST(StormLines, ReadsNothingThatTheCarefulReaderRejects) {
  const std::string sound = "5\n-12 100\n7 -60\n12345678901234 2147483647\n0 0\n35 9\n";
  const std::string alphabet = "0123456789+- \n\r\tx/:\0\xB2"s;
  std::mt19937_64 random(3);
  int read = 0;
  for (int trial = 0; trial < 100'000; ++trial) {
    const std::string text = damaged(sound, alphabet, 2, random);
    const std::optional<Impacts> impacts = read_all(text);
    if (!impacts) continue;
    ++read;
    ASSERT_NO_THROW({ ASSERT_EQ(*impacts, parse_storm(text, "a.txt").impacts) << text; }) << text;
  }
  EXPECT_GT(read, 1000);
}

/// The parts of a text, one after the other; nothing where one of them looks different.
std::optional<Impacts> joined_parts(const std::string& text, int parts, std::size_t section_size) {
  Impacts joined;
  for (int number = 0; number < parts; ++number) {
    const auto part = read_storm_lines(text, {number, parts, 2}, section_size);
    if (!part) return {};
    EXPECT_EQ(part->announced, text[0] - '0');
    joined.insert(joined.end(), part->impacts.begin(), part->impacts.end());
  }
  return joined;
}

TEST(StormLines, PartsAreTheWholeWhereverTheyEnd) {
  const std::string text = "5\n4 100\n-8 -60\n123456 7\n0 0\n1 2147483647\n";
  const Impacts whole{{4, 100}, {-8, -60}, {123456, 7}, {0, 0}, {1, 2147483647}};
  for (int parts = 1; parts <= 50; ++parts) {  // of no byte, too
    for (const std::size_t section : {1, 5, 1000}) {
      EXPECT_EQ(joined_parts(text, parts, section), whole) << parts << " " << section;
    }
  }
  EXPECT_EQ(joined_parts("2\n4 100\n-8  -60\n", 2, 1000), std::nullopt);
  // Only all parts together tell that there are more than announced.
  EXPECT_EQ(joined_parts("1\n4 100\n-8 -60\n", 2, 1000)->size(), 2U);
}

}  // namespace
}  // namespace bombard
