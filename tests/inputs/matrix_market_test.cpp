#include "inputs/matrix_market.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

template <class T = double>
Matrix<T> matrix_of(const std::string& text) {
  return read_matrix_market<T>(InputFile("a", text));
}

const std::string array = "%%MatrixMarket matrix array real general\n";
const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";

// The fuzz target matrix_market tests more texts, and the lines of their errors.
TEST(MatrixMarket, ReadsCoordinatesInAnyOrder) {
  const auto a = std::get<SparseMatrix<double>>(
      matrix_of(coordinate + "3 4 5\n3 4 -7\n1 3 2\n3 1 5\n1 1 1.5\n3 2 6\n"));
  EXPECT_EQ(a.rows, 3);
  EXPECT_EQ(a.columns, 4);
  EXPECT_EQ(a.row_offsets, (std::vector<std::int64_t>{0, 2, 2, 5}));
  EXPECT_EQ(a.column_indices, (std::vector<std::int32_t>{0, 2, 0, 1, 3}));
  EXPECT_EQ(a.values, (std::vector<double>{1.5, 2, 5, 6, -7}));
}

TEST(MatrixMarket, MayStandBehindAMarkAndBlanks) {
  EXPECT_TRUE(is_matrix_market(InputFile("a", "\xEF\xBB\xBF \n\t" + array)));
}

TEST(MatrixMarket, RejectsOtherKindsOfFiles) {
  const std::string matrix = "%%MatrixMarket matrix ";
  expect_refused(
      matrix_of<double>,
      {{"1 2 3\n", "1: begins with \"1\"; a file of Matrix Market begins with %%MatrixMarket"},
       {"%%MatrixMarket vector array real general\n1\n1\n",
        "1: \"vector\" is not read; there are matrix"},
       {matrix + "list real general\n1\n1\n",
        "1: format \"list\" is not read; there are array, coordinate"},
       {matrix + "coordinate pattern general\n",
        "1: field \"pattern\" is not read; there are real, double, integer"},
       {matrix + "array real skew-symmetric\n",
        "1: symmetry of an array \"skew-symmetric\" is not read; there are general"},
       {matrix + "coordinate real skew-symmetric\n",
        "1: symmetry \"skew-symmetric\" is not read; there are general, symmetric"},
       {matrix + "array real general 2 2\n", "1: \"2\" after the banner"}});
}

TEST(MatrixMarket, RejectsSizesThatCannotBe) {
  const std::string beyond = " is out of range; it must lie between 0 and ";
  expect_refused(
      matrix_of<double>,
      {{array + "% nothing more\n", "2: the file ends before the numbers of rows and columns"},
       {coordinate, "1: the file ends before the numbers of rows, columns and entries"},
       {array + "3\n", "2: the line ends before the number of columns"},
       {coordinate + "-1 4 1\n", "2: number of rows \"-1\"" + beyond + "2147483647"},
       {coordinate + "1 1 9223372036854775808\n",
        "2: number of entries \"9223372036854775808\"" + beyond + "4611686018427387904"},
       {symmetric + "2 3 1\n", "2: a symmetric matrix is square, not 2 x 3"},
       // A wrong count takes no memory.
       {array + "2147483647 2147483647\n1\n",
        "2: announces 4611686014132420609 entries but the file holds 1"},
       {coordinate + "2 2 4611686014132420609\n1 1 1\n",
        "2: announces 4611686014132420609 entries but the file holds 1"}});
}

TEST(MatrixMarket, RejectsEntriesThatAreNone) {
  expect_refused(
      matrix_of<double>,
      {{array + "2 1\n1 2\n", "3: \"2\" after the last number of an entry"},
       {array + "2 1\nnan\n2\n", "3: value \"nan\" is not finite"},
       {array + "2 1\n1\n2\n3\n", "5: \"3\" after the last entry; line 2 announces 2"},
       {coordinate + "2 2 1\n1 1\n", "3: the line ends before the value"},
       {coordinate + "2 3 1\n3 1 1\n", "3: row \"3\" is out of range; it must lie between 1 and 2"},
       {coordinate + "2 3 1\n1 0 1\n",
        "3: column \"0\" is out of range; it must lie between 1 and 3"},
       {symmetric + "3 3 1\n1 2 5\n",
        "3: entry (1, 2) is above the diagonal; a symmetric matrix is given by its lower triangle"},
       {symmetric + "3 3 3\n2 1 5\n3 3 1\n\n2 1 5\n", " entry (1, 2) appears twice"},
       {coordinate + "2 2 5\n2 2 1\n2 2 1\n1 2 1\n1 2 2\n1 2 3\n", " entry (1, 2) appears twice"}});
}

class MatrixMarketFile : public TemporaryDirectory {};

TEST_F(MatrixMarketFile, ReadsWhatItWrites) {
  std::mt19937_64 random(2);
  std::vector<double> values(31 * 33);
  for (double& value : values) {
    do {
      value = std::bit_cast<double>(random());
    } while (!std::isfinite(value));
  }
  written_by("a", [&](OutputFile& file) { write_matrix_market(values, 31, 33, file); });
  const auto a = std::get<DenseMatrix<double>>(matrix_of(content("a")));
  EXPECT_EQ(a.rows, 31);
  EXPECT_EQ(a.columns, 33);
  EXPECT_EQ(a.values, values);

  const SparseMatrix<double> sparse{2, 3, {0, 1, 3}, {2, 0, 1}, {0.1, -2, 3e-30}};
  written_by("b", [&](OutputFile& file) { write_matrix_market(sparse, file); });
  EXPECT_EQ(content("b"),
            "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 3 0.1\n2 1 -2\n2 2 3e-30\n");
}

}  // namespace
}  // namespace bombard
