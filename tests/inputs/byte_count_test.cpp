#include "inputs/byte_count.hpp"

#include <gtest/gtest.h>

namespace bombard {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

TEST(ByteCount, MultipliesUpTo63Bits) {
  EXPECT_EQ(byte_count({3, 4, 8}), 96);
  EXPECT_EQ(byte_count({std::int64_t{1} << 31, std::int64_t{1} << 31}), std::int64_t{1} << 62);
  EXPECT_EQ(byte_count({most, 1}), most);
}

TEST(ByteCount, IsTheLargestWhere63BitsDoNotHoldIt) {
  EXPECT_EQ(byte_count({536870913, 2147483647, 8}), most);
  EXPECT_EQ(byte_count({std::int64_t{1} << 32, std::int64_t{1} << 32}), most);
  EXPECT_EQ(byte_count({most, most, most}), most);
}

TEST(ByteCount, OfNothingIs0) {
  EXPECT_EQ(byte_count({most, most, 0, 8}), 0);
  EXPECT_EQ(byte_count({0, most, most}), 0);
}

}  // namespace
}  // namespace bombard
