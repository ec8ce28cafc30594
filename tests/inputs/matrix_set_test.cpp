#include "inputs/matrix_set.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "inputs/npy.hpp"
#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

using SetElements = std::vector<std::int32_t>;

class SetsOfMatrices : public TemporaryDirectory {};

// The fuzz target matrix_set reads what it writes as text.
TEST_F(SetsOfMatrices, KeepTheTypeOfANumPyArray) {
  const std::vector<float> floats{0.5, 1, 2, 3, 4, 5, 6, 7, 8};
  written_by("a", [&](OutputFile& file) { write_npy(floats, {1, 3, 3}, file); });
  EXPECT_EQ(std::get<std::vector<float>>(read_matrix_set(path("a"))), floats);
}

TEST_F(SetsOfMatrices, MayBeLaidOutFreely) {
  const std::string text = "\n# two\n 1 # one\n\n ***  # here\n1,2,3\n\n\t4 5 6 \r\n7, 8, 9";
  EXPECT_EQ(std::get<SetElements>(read_matrix_set(InputFile("a", text))),
            (SetElements{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(SetsOfMatrices, AreRefusedWithWhatIsWrong) {
  const std::string matrix = "***\n1 2 3\n4 5 6\n7 8 9\n";
  const std::string beyond = " is out of range; it must lie between ";
  const std::string begin = " where a matrix must begin, with ***";
  expect_refused(
      [&](const std::string& text) { read_matrix_set(InputFile("a", text)); },
      {{" \n\n", "3: no count: the file is empty; a set begins with its number of matrices"},
       {"two\n" + matrix, "1: count \"two\" is not an integer"},
       {"\n-1\n" + matrix, "2: count \"-1\"" + beyond + "0 and 1152921504606846976"},
       {"# 2\n2\n" + matrix, "2: the count says 2 matrices but the file holds 1"},
       {"1\n" + matrix + matrix, "1: the count says 1 matrix but the file holds 2"},
       {"1\n1 2 3\n4 5 6\n7 8 9\n", "2: \"1\"" + begin},
       {"1\n***,\n1 2 3\n", "2: element \",\" is not an integer"},
       {"1\n***\n1 2 3\n4 5 6 7\n7 8 9\n", "5: \"9\"" + begin},
       {"2\n***\n1 2 3\n4 5 6\n" + matrix, "5: element \"***\" is not an integer"},
       {"1\n***\n1 2 3\n4 5 6\n7 8", "5: the file ends within a matrix"},
       {"1\n***\n1 2 5.5\n", "3: element \"5.5\" is not an integer"},
       {"1\n***\n2147483648 2 3\n",
        "3: element \"2147483648\"" + beyond + "-2147483648 and 2147483647"}});
}

TEST_F(SetsOfMatrices, MayBeNumPyArraysOfOneShape) {
  const auto refused = [&](const auto& values, const std::vector<std::int64_t>& shape) {
    written_by("a", [&](OutputFile& file) { write_npy(values, shape, file); });
    return rejection([&] { read_matrix_set(path("a")); });
  };
  const std::string wanted = "; a set of matrices is N x 3 x 3";
  EXPECT_EQ(refused(std::vector<float>(18), {2, 9}), "a: this array is 2 x 9" + wanted);
  EXPECT_EQ(refused(std::vector<float>(24), {2, 3, 4}), "a: this array is 2 x 3 x 4" + wanted);
  const std::vector<std::int64_t> integers(9, 7);
  written_by("a", [&](OutputFile& file) { write_npy(integers, {1, 3, 3}, file); });
  EXPECT_EQ(std::get<SetElements>(read_matrix_set(path("a"))), SetElements(9, 7));
}

}  // namespace
}  // namespace bombard
