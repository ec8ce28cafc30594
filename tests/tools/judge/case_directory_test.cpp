#include "tools/judge/case_directory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "tests/inputs/temporary_directory.hpp"

namespace bombard::judge {
namespace {

// The tests of the program have directories without a mistake (judge_test.cpp).
class CaseDirectories : public TemporaryDirectory {
 protected:
  /// Of a case called `mine` in a directory of its own.
  std::string rejected(const std::string& json, std::optional<Edition> edition = {}) const {
    std::filesystem::create_directories(path("cases/mine"));
    written("cases/mine/case.json", json);
    written("cases/mine/one.txt", "1\n4 100\n");
    return rejection([&] { read_cases(path("cases"), edition); });
  }
};

TEST_F(CaseDirectories, WithWrongContents) {
  const std::string whole = R"({"cells": 9, "storms": ["one.txt"])";
  const std::pair<std::string, std::vector<std::string>> contents[] = {
      {"is not a JSON object", {"[9]"}},
      {"\"cells\" must be there, a whole number from 1 up",
       {"{}", R"({"cells": 0})", R"({"cells": -1})", R"({"cells": "9"})", R"({"cells": 1.5})",
        R"({"cells": 18446744073709551615})"}},
      {"\"storms\" must be there, a list of the names of storm files",
       {R"({"cells": 9})", R"({"cells": 9, "storms": []})",
        R"({"cells": 9, "storms": "one.txt"})"}},
      {"a name in \"storms\" is not a text in quotes",
       {R"({"cells": 9, "storms": [1]})", R"({"cells": 9, "storms": )" + std::string(500'000, '[') +
                                              std::string(500'000, ']') + "}"}},
      {"\"tries\" is not a text in quotes", {whole + R"(, "tries": 1})"}},
      {"\"edition\" is neither 1 nor 2", {whole + R"(, "edition": 3})"}},
      {"\"group\" is neither \"assignment\" nor \"beyond\"", {whole + R"(, "group": "other"})"}}};
  for (const auto& [problem, all] : contents) {
    for (const std::string& json : all) {
      EXPECT_EQ(rejected(json), "cases/mine/case.json: " + problem) << json;
    }
  }
  for (const char* json : {"{\"cells\": 9,}", "", "{\"cells\": 1e400}", "{\"edition\": 1e999}"}) {
    EXPECT_TRUE(rejected(json).starts_with("cases/mine/case.json: is not JSON: ")) << json;
  }
  EXPECT_EQ(rejected(whole + R"(, "edition": 1})", Edition::second),
            "cases/mine/case.json: is a case of edition 1; leave --edition out");
  EXPECT_TRUE(
      rejected(R"({"cells": 9, "storms": ["two.txt"]})").starts_with("cases/mine/two.txt: "));
}

}  // namespace
}  // namespace bombard::judge
