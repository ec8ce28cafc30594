// Numbers in the texts of all formats: what stands between them, and what is not a number.

#include "inputs/number_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

using namespace std::string_literals;
using Integers = std::vector<std::int64_t>;

const std::string name = "a";

Integers integers_of(const std::string& text) {
  Integers all;
  for (NumberText numbers(text, name); numbers.next();) {
    all.push_back(numbers.integer("value", std::numeric_limits<std::int32_t>::min(), 2147483647));
  }
  return all;
}

template <class T = double>
std::vector<T> numbers_of(const std::string& text) {
  std::vector<T> all;
  for (NumberText numbers(text, name); numbers.next();) all.push_back(numbers.number<T>());
  return all;
}

TEST(NumberText, WhiteSpaceCommentsAndACommaStandBetweenNumbers) {
  for (const std::string text :
       {"2 1 2 3 4", "2\r\n1 2\r\n3 4\r\n", "2\r1 2\r3 4\r", "\n\n \t2\n\n1\n2\n3\n4\n\n \n",
        "2\v1\f2\t3 \v\f\t\r\n 4", "# three, 3\n2 # impacts\n1 2# no 5 6\r\n#\n3 4\n# the end",
        "\xEF\xBB\xBF# by hand\n2 1 2 3 4", "2 # m\r1 2\r#\r3 4\r", "2\n1,2\n3,4\n",
        "2,\n1 , 2,\n3,4,", "+2 1 # so,\n, 2 03 +4"}) {
    EXPECT_EQ(integers_of(text), (Integers{2, 1, 2, 3, 4})) << text;
  }
  expect_refused(integers_of, {{"1 # one\r# two\r\n4 12x", "3: value \"12x\" is not an integer"},
                               {"1\n4,#\n,12", "3: value \",12\" is not an integer"},
                               {",1 4 12", "1: value \",1\" is not an integer"}});
}

TEST(NumberText, RefusesWhatIsNoInteger) {
  for (const std::string token :
       {"-", "+", "--1", "+-1", "1-", "1+1", ".", "12x", "1e3", "2.0", "0x10", "three"}) {
    expect_refused(integers_of,
                   {{"1\r\n" + token + " 1", "2: value \"" + token + "\" is not an integer"}});
  }
  const std::string beyond = " is out of range; it must lie between -2147483648 and 2147483647";
  for (const std::string number : {"2147483648", "-2147483649", "4294967297",
                                   "-9999999999999999999", "18446744073709551617"}) {
    expect_refused(integers_of, {{"\n\n" + number, "3: value \"" + number + "\"" + beyond}});
  }
  EXPECT_EQ(integers_of("2147483647 -2147483648"), (Integers{2147483647, -2147483648}));
  // Rubbish is shown escaped and cut.
  expect_refused(
      integers_of,
      {{"\x7F"
        "ELF\x02\x01\0\xFF rest"s,
        R"(1: value "\x7fELF\x02\x01\x00\xff" is not an integer)"},
       {"1\nsay\"back\\slash 1", R"(2: value "say\"back\\slash" is not an integer)"},
       {"1000000000000000000000000000000", "1: value \"10000000000000000000...\"" + beyond}});
}

TEST(NumberText, NumbersAreRoundedOnceAndIntegersKept) {
  EXPECT_EQ(numbers_of("0.1\n1e-3\n-.5 4.9e-324 1e-400, 1 -inf +inf 9007199254740992"),
            (std::vector<double>{0.1, 0.001, -0.5, 4.9e-324, 0, 1, -INFINITY, INFINITY,
                                 9007199254740992.0}));
  EXPECT_EQ(numbers_of("-09007199254740994 +100000000000000000000 9007199254740993.0"),
            (std::vector<double>{-9007199254740994.0, 1e20, 9007199254740992.0}));
  EXPECT_TRUE(std::isnan(numbers_of("nan")[0]));
  // Just above the middle of two floats: through double it would fall to the even one below.
  EXPECT_EQ(numbers_of<float>("1.00000005960464477539062500001 1e-46"),
            (std::vector<float>{1.00000011920928955078F, 0}));
  expect_refused(
      numbers_of<double>,
      {{"1\n2\nthree\n", "3: value \"three\" is not a number"},
       {"+-1", "1: value \"+-1\" is not a number"},
       {"1\n1e400\n",
        "2: value \"1e400\" is out of range; it must lie between -1.7976931348623157e+308 and "
        "1.7976931348623157e+308"},
       {"1\n-9007199254740993",
        "2: value \"-9007199254740993\" has more digits than a 64-bit float holds"}});
  expect_refused(numbers_of<float>, {{"1\n\n1e39",
                                      "3: value \"1e39\" is out of range; it must lie between "
                                      "-3.4028235e+38 and 3.4028235e+38"}});
}

}  // namespace
}  // namespace bombard
