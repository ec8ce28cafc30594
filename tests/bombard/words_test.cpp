#include "bombard/words.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/text.hpp"

namespace bombard {
namespace {

TEST(Words, AndWhatTheyMean) {
  EXPECT_EQ(parse_device("auto"), Device::automatic);
  EXPECT_EQ(parse_device("cpu"), Device::cpu);
  EXPECT_EQ(parse_device("cuda"), (Device{Device::cuda, 0}));
  EXPECT_EQ(parse_device("cuda:12"), (Device{Device::cuda, 12}));
  EXPECT_EQ(parse_method("auto"), std::nullopt);
  EXPECT_EQ(parse_method("sparse"), Method::sparse);
  EXPECT_EQ(parse_precision("auto"), std::nullopt);
  EXPECT_EQ(parse_precision("float"), Precision::binary32);
  EXPECT_EQ(parse_precision("double"), Precision::binary64);
  EXPECT_EQ(parse_edition("2"), Edition::second);
  EXPECT_EQ(parse_attenuation("power:8"), Attenuation{8});
  EXPECT_EQ(parse_attenuation("exponential:1e9"), (Attenuation{0, 1e9}));
  EXPECT_EQ(parse_attenuation("damped:0.5:20"), (Attenuation{0.5, 20}));
  EXPECT_EQ(parse_threshold("0.25"), 0.25F);
  EXPECT_EQ(parse_reduction("inhouse"), Reduction::inhouse);
}

/// Checks that the message is `option "text" is not` ... `there_are`, for each text.
template <class Parse>
void expect_refused(const Parse& parse, const std::string& begin, const std::string& there_are,
                    const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const std::size_t quote = begin.find('"') + 1;
    EXPECT_EQ(tests::message_of([&] { parse(text); }),
              begin.substr(0, quote) + text + begin.substr(quote) + "; it is " + there_are);
  }
}

TEST(Words, OthersAreRefused) {
  expect_refused(
      parse_device, "device \"\" is not a device", "auto, cpu, cuda or cuda:N with N from 0 up",
      {"", "CPU", "cuda:", "cuda:-1", "cuda:1x", "cuda: 1", "cuda:99999999999", "cpu:0"});
  expect_refused(parse_method, "method \"\" is not a method", "auto, direct, fast or sparse",
                 {"", "slow"});
  expect_refused(parse_precision, "precision \"\" is not a precision", "single or double",
                 {"", "half"});
  expect_refused(parse_edition, "edition \"\" is not an edition", "1 or 2",
                 {"", "0", "3", "01", "first"});
  expect_refused(
      parse_attenuation, "attenuation \"\" is not an attenuation",
      "power:0.5, or in double precision power:B with B from 0.1 to 8, exponential:RANGE or "
      "damped:B:RANGE with a RANGE above 0, in cells",
      {"", ":1", "sqrt:1", "power", "power:", "power:0", "power:8.1", "power:nan", "power:1x",
       "power:1:2", "exponential:", "exponential:-1", "exponential:inf", "exponential:1:2",
       "damped:0:3", "damped:1", "damped:1:0", "damped:1:inf", "damped:1:2:3"});
  expect_refused(parse_threshold, "threshold \"\" is not a threshold",
                 "a finite binary32 number, 0 or more",
                 {"", "-1", "nan", "inf", "1e39", "1e99", "1,5", "x", "1 "});
  expect_refused(parse_reduction, "reduction \"\" is not a reduction", "cub or inhouse",
                 {"", "cube"});
}

}  // namespace
}  // namespace bombard
