// bombard study, as a user runs it on a machine without a GPU.

#include <nlohmann/json.hpp>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class StudyCommand : public ProgramTest {};

TEST_F(StudyCommand, EveryStudyChecksWhatItTimes) {
  for (const std::string name : {"reduction", "product", "dot", "jacobi", "sort"}) {
    const std::string out =
        done("bombard study " + name + " --sizes 20,33 --device cpu --format=csv").out;
    EXPECT_TRUE(matches(out, "operation,size,method,*valid\r\n* core*"));
    EXPECT_FALSE(contains(out, ",NO\r\n"));
  }
}

TEST_F(StudyCommand, WritesTablesAndJson) {
  const std::string sort = "bombard study sort --sizes 100 --device cpu";
  expect(sort, "operation  size  method*");
  EXPECT_EQ(done("bombard study sort --sizes 9").err,
            "bombard: no GPU here: its rows are left out\n");
  done(sort + " --format json --output sort.json");
  const nlohmann::json first = nlohmann::json::parse(content("sort.json")).at(0);
  EXPECT_EQ(first.at("operation"), "sort");
  EXPECT_EQ(first.at("size"), 100);
  EXPECT_TRUE(first.at("block").is_null());
}

TEST_F(StudyCommand, Errors) {
  expect_refused(
      2,
      {{"bombard study", "bombard study: reduction, product, dot, jacobi or sort must follow; see"},
       {"bombard study sort --sizes 10,", "--sizes \"\" is not a whole number"},
       {"bombard study jacobi --sizes 268435457", "--sizes 268435457 is out of range"}});
  expect_refused(3, {{"bombard study sort --device cuda", "GPU"},
                     {"bombard study product --sizes 268435456 --device cpu",  // 6 of 2^56 floats
                      "products of 268435456 rows needs 1729382257 GB of memory"}});
}

}  // namespace
}  // namespace bombard::tests
