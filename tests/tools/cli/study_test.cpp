// bombard study, as a user runs it on a machine without a GPU.

#include <gtest/gtest.h>

#include "tests/tools/cli/program.hpp"

using namespace bombard::tests;

namespace {

class StudyCommand : public ProgramTest {};

TEST_F(StudyCommand, EveryStudyChecksWhatItTimes) {
  for (const std::string name : {"reduction", "product", "dot", "jacobi", "sort"}) {
    const Outcome outcome =
        bombard({"study", name, "--sizes", "20,33", "--device", "cpu", "--csv"});
    EXPECT_EQ(outcome.exit_code, 0) << name << ": " << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "valid\n"));
    EXPECT_TRUE(contains(outcome.out, "bombard on all cores"));
    EXPECT_FALSE(contains(outcome.out, ",NO\n"));
  }
}

TEST_F(StudyCommand, WritesTablesAndJson) {
  const std::vector<std::string> sort{"study", "sort", "--sizes", "100", "--device", "cpu"};
  const Outcome table = bombard(sort);
  EXPECT_TRUE(starts_with(table.out, "elements  method"));
  auto arguments = sort;
  arguments.insert(arguments.end(), {"--json", "--output", path("sort.json")});
  EXPECT_EQ(bombard(arguments).exit_code, 0);
  EXPECT_TRUE(starts_with(content_of(path("sort.json")),
                          "[\n  {\"elements\": 100, \"method\": \"std::sort on one core\", "));
}

TEST_F(StudyCommand, Errors) {
  const auto expect_error = [&](std::vector<std::string> arguments, const std::string& text) {
    arguments.insert(arguments.begin(), "study");
    const Outcome outcome = bombard(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(contains(outcome.err, text));
  };
  expect_error({},
               "no study is named: one of reduction, product, dot, jacobi and sort must follow");
  expect_error({"weather"}, "\"weather\" is no study");
  expect_error({"sort", "--sizes", "10,x"}, "--sizes \"x\" is not a whole number");
  expect_error({"jacobi", "--sizes", "268435457"}, "--sizes 268435457 is out of range");
  expect_error({"sort", "--device", "tpu"}, "--device \"tpu\" is none of both, cpu and cuda");
  expect_error({"sort", "--csv", "--json"}, "--format, --csv and --json exclude each other");
  expect_error({"sort", "--format=xml"}, "it is table, csv or json");
  expect_error({"sort", "--once"}, "--once goes with `bombard study reduction`");
}

TEST_F(StudyCommand, SaysWhatMemoryItNeeds) {
  // 3 matrices of 2^56 floats.
  const Outcome outcome =
      bombard({"study", "product", "--sizes", "268435456", "--device", "cpu", "--csv"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(contains(outcome.err, "products of 268435456 rows needs 864691128 GB of memory"))
      << outcome.err;
}

TEST_F(StudyCommand, NoGpuHere) {
  const Outcome outcome = bombard({"study", "sort", "--device", "cuda"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(contains(outcome.err, "GPU"));
}

}  // namespace
