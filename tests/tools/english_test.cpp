// tools/english finds the phrases that it looks for, and no others.

#include <gtest/gtest.h>

#include <string>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class English : public ProgramTest {
 protected:
  Outcome english(const std::string& text) {
    written("text.cpp", text);
    return shell(BOMBARD_SOURCE_DIR "/tools/english text.cpp");
  }
};

TEST_F(English, FindsPhrasesAndNoPlainSentences) {
  const Outcome outcome = english("int cells;\n  /// A layer of so\n  /// many cells.\n");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(starts_with(outcome.out, "text.cpp:2: \"so many\": name the number"));
  EXPECT_EQ(english("// What is left is added.\n").exit_code, 1);
  EXPECT_EQ(english("// Of two parts the larger.\n/// Of two parts the larger.\n").exit_code, 1);
  const Outcome plain = english(
      "// A layer of `cells` cells, so many that memory ends. What is left? As many rows as "
      "columns.\n"
      "// No one knows; it depends on the size.\n");
  EXPECT_EQ(plain.exit_code, 0) << plain.out;
}

}  // namespace
}  // namespace bombard::tests
