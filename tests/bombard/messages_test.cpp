#include "bombard/messages.hpp"

#include <gtest/gtest.h>

#include <iterator>

#include "bombard/errors.hpp"

namespace bombard {
namespace {

const std::string message = "a.txt: take " + named(Setting::method, "direct") + " or " +
                            named(Setting::peaks, "3") + ", " + named(Setting::cells_at) +
                            " or see " + named(Setting::devices);

TEST(Messages, EachFrontDoorHasItsWords) {
  EXPECT_EQ(worded(message, FrontDoor::command_line),
            "a.txt: take --method direct or --peaks 3, --cells-at or see `bombard devices`");
  EXPECT_EQ(worded(message, FrontDoor::python),
            "a.txt: take method=\"direct\" or peaks=3, cells or see bombard.devices()");
  EXPECT_EQ(worded(message, FrontDoor::library),
            "a.txt: take method direct or peaks 3, cells_at or see `bombard devices`");
  EXPECT_EQ(worded(Setting::engine, "\"x\"", FrontDoor::python), "engine=\"x\"");
  EXPECT_EQ(worded("plain", FrontDoor::python), "plain");
}

TEST(Messages, EverySettingHasWords) {
  ASSERT_EQ(std::size(setting_words), static_cast<std::size_t>(Setting::wanted) + 1);
  EXPECT_STREQ(words_of(Setting::kernel).option, "--kernel");
  EXPECT_STREQ(words_of(Setting::tolerance).option, "--tolerance");
}

TEST(Messages, AnErrorSpeaksCppAndKeepsItsSettings) {
  const InputError error(message);
  EXPECT_EQ(error.what(), worded(message, FrontDoor::library));
  EXPECT_EQ(InputError(error).message(), message);
}

}  // namespace
}  // namespace bombard
