#include "tools/cli/options.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/text.hpp"
#include "tools/cli/subcommands.hpp"

namespace bombard::tools {
namespace {

using tests::expect_messages;
using tests::message_of;

/// Two topics, and an option of each kind.
const Subcommand& cook() {
  static const Subcommand table{.name = "cook",
                                .topics = {{"soup", "POT", ""}, {"bread", "", ""}},
                                .usual_topic = "bread",
                                .groups = {{"Kitchen",
                                            {{"salt", "N", "", "3"},
                                             {"heat", "low|high|N", "", "low"},
                                             {"stove", "NAME=gas|wood", ""},
                                             {"crust", "", "", "", "bread"},
                                             {"spoons", "N", "", "1", "soup"},
                                             {"spoons", "N", "", "2", "bread"},
                                             {"recipe", "FILE", ""},
                                             {"output", "FILE|-", ""}}},
                                           messages()}};
  return table;
}

Arguments given(std::vector<std::string> words) {
  words.insert(words.begin(), "cook");
  return {cook(), std::move(words)};
}

std::string refusal(const std::string& text) {
  return message_of([&] { given(parts_of(text, ' ')); });
}

TEST(Options, ValuesStandBehindTheirNamesOrTheirLetters) {
  const Arguments arguments = given({"--salt=5", "soup", "-qo", "out", "--quiet", "big"});
  EXPECT_EQ(arguments.topic(), "soup");
  EXPECT_EQ(arguments.words(), std::vector<std::string>{"big"});
  EXPECT_EQ(arguments.number("salt", 0), 5);
  EXPECT_EQ(arguments.output(), "out");
  EXPECT_TRUE(arguments.has("quiet"));
  EXPECT_EQ(arguments.real("salt"), 5);
  EXPECT_EQ(given({"-oout"}).output(), "out");
  EXPECT_EQ(given({"-o", "-"}).output(), std::nullopt);
  EXPECT_EQ(given({"soup", "--", "--salt"}).words(), std::vector<std::string>{"--salt"});
}

TEST(Options, FallbacksAreThoseOfTheTopic) {
  EXPECT_EQ(given({"soup", "pot"}).text("spoons"), "1");
  EXPECT_EQ(given({}).text("spoons"), "2");
  EXPECT_EQ(given({}).word("heat"), "low");
  EXPECT_EQ(given({"--recipe", "r"}).given("recipe"), "r");
  EXPECT_EQ(message_of([] { given({}).text("recipe"); }),
            "--recipe is missing; see `bombard cook --help`");
  EXPECT_EQ(message_of([] {
              given({"soup", "pot"}).text("recipe");
            }),
            "--recipe is missing; see `bombard cook soup --help`");
  EXPECT_EQ(message_of([] { given({"--heat=hihg"}).word("heat"); }),
            "--heat \"hihg\" is not a heat; it is low or high");
}

TEST(Options, Refusals) {
  const std::string help = "; see `bombard cook --help`";
  expect_messages(
      {{"--crust=false",
        "--crust is a switch, and \"false\" gives it a value; leave the value out, or the option"},
       {"--heat --salt", "--heat lacks its value (low|high|N)" + help},
       {"--salt 1 --salt 2",
        "--salt is given several times and takes one value; leave one out, see "
        "`bombard cook --help`"},
       {"--frobnicate", "there is no option --frobnicate" + help},
       {"-5", "there is no option -5" + help},
       {"--recipe -",
        "--recipe takes the name of a file or a folder, and - would mean "
        "standard input or output; ./- is a name"},
       {"soup", "cook soup takes 1 file, not 0: bombard cook soup POT"},
       {"bread x", "\"x\" cannot stand here: `bombard cook bread` takes options alone" + help},
       {"soup pot --crust", "--crust has no meaning for soup; leave it out"},
       {"bred", "bombard cook: there is no \"bred\"; there are soup, bread" + help}},
      refusal);
}

TEST(Options, NumbersAreOfTheirRange) {
  const auto whole = [](const std::string& text) {
    return message_of([&] { whole_number(text, "N", 1, 30); });
  };
  for (const std::string none : {"12x", "x", "1.5", "1.5e0", "1e6x", "e6", " 12", "+12", "0x10", "",
                                 "15e-1", "infe1", "1e", ".e1", "-e1", "1e2.5"}) {
    EXPECT_EQ(whole(none), "N \"" + none + "\" is not a whole number");
  }
  for (const std::string outside :
       {"0", "-1", "31", "99999999999999999999", "1e19", "1e30", "3.1e1", "-1e400",
        "1234567890123456e3", "9223372036854775808e0"}) {
    EXPECT_EQ(whole(outside),
              "N " + outside + " is out of range; it is a whole number from 1 to 30");
  }
  EXPECT_EQ(whole_number("2.5e1", "N", 1), 25);
  EXPECT_EQ(whole_number("250e-1", "N", 1), 25);
  EXPECT_EQ(whole_number("9.223372036854775807E18", "N", 1),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(message_of([] { whole_number("0", "N", 1); }),
            "N 0 is out of range; it is a whole number from 1 up");
  for (const std::string none : {"-1", "nan", "inf", "x", "1s"}) {
    EXPECT_EQ(message_of([&] { given({"--salt=" + none}).real("salt"); }),
              "--salt \"" + none + "\" is not a number from 0 up");
  }
  EXPECT_EQ(message_of([] { given({"--salt=0"}).real("salt", true); }),
            "--salt \"0\" is not a number above 0");
}

TEST(Options, EveryTableHasTheSameLettersAndHelp) {
  for (const Subcommand& subcommand : subcommands()) {
    for (const char* const name : {"quiet", "help", "version"}) {
      EXPECT_EQ(std::ranges::count(subcommand.options(), name, &Option::name), 1)
          << subcommand.name << ' ' << name;
    }
    for (const Option* const option : subcommand.options()) {
      EXPECT_FALSE(option->help.empty()) << subcommand.name << ' ' << option->name;
      const std::vector<std::string> choices = option->choices();
      const bool known = option->fallback.empty() || choices.empty() ||
                         std::ranges::count(choices, option->fallback) > 0;
      EXPECT_TRUE(known) << option->name;
    }
  }
}

}  // namespace
}  // namespace bombard::tools
