#include "inputs/matrix_market.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/inputs/small_machine.hpp"
#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

DenseMatrix<double> dense_of(const std::string& text) {
  return std::get<DenseMatrix<double>>(read_matrix_market<double>(MappedFile("a.mtx", text)));
}
SparseMatrix<double> sparse_of(const std::string& text) {
  return std::get<SparseMatrix<double>>(read_matrix_market<double>(MappedFile("a.mtx", text)));
}

/// Texts, each with the message with which it is rejected, as file a.mtx, behind this name.
template <class T = double>
void expect_refused_matrices(const tests::Refusals& texts) {
  const auto message = [](const std::string& text) {
    return tests::message_of([&] { read_matrix_market<T>(MappedFile("a.mtx", text)); });
  };
  tests::expect_messages(texts, message, "a.mtx:");
}

const std::string array = "%%MatrixMarket matrix array real general\n";
const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";

TEST(MatrixMarket, ReadsCoordinatesInAnyOrder) {
  const SparseMatrix<double> a =
      sparse_of(coordinate + "3 4 5\n3 4 -7\n1 3 2\n3 1 5\n1 1 1.5\n3 2 6\n");
  EXPECT_EQ(a.rows, 3);
  EXPECT_EQ(a.columns, 4);
  EXPECT_EQ(a.row_offsets, (std::vector<std::int64_t>{0, 2, 2, 5}));
  EXPECT_EQ(a.column_indices, (std::vector<std::int32_t>{0, 2, 0, 1, 3}));
  EXPECT_EQ(a.values, (std::vector<double>{1.5, 2, 5, 6, -7}));
}

TEST(MatrixMarket, MayStandBehindAMarkAndBlanksAndEndLinesInAnyWay) {
  for (const std::string before : {"", "\xEF\xBB\xBF", " \n\t"}) {
    const MappedFile file("a.mtx",
                          before + "%%MatrixMarket matrix array real general\r% m\r2 1\r3\r4\r");
    EXPECT_TRUE(is_matrix_market(file));
    EXPECT_EQ(std::get<DenseMatrix<double>>(read_matrix_market<double>(file)).values,
              (std::vector<double>{3, 4}));
  }
}

// For a float, too: its text is rounded once.
TEST(MatrixMarket, KeepsIntegers) {
  const std::string integer = "%%MatrixMarket matrix array integer general\n1 1\n";
  EXPECT_EQ(dense_of(integer + "-9007199254740994\n").values[0], -9007199254740994.0);
  EXPECT_EQ(dense_of(array + "1 1\n9007199254740993.0\n").values[0], 9007199254740992.0);
  const MappedFile text("", array + "1 1\n1.00000017881393432617187500001\n");
  EXPECT_EQ(std::get<DenseMatrix<float>>(read_matrix_market<float>(text)).values[0],
            1.00000023841857910156F);
  const std::string digits = " has more digits than a 64-bit float holds";
  const std::string none = " is not an integer, and the banner says integer";
  const tests::Refusals refused = {
      {integer + "9007199254740993\n", "3: value \"9007199254740993\"" + digits},
      {array + "1 1\n9007199254740993\n", "3: value \"9007199254740993\"" + digits},
      {integer + "1.5\n", "3: value \"1.5\"" + none},
      {integer + "1e3\n", "3: value \"1e3\"" + none}};
  expect_refused_matrices<double>(refused);
  expect_refused_matrices<float>(refused);
}

TEST(MatrixMarket, RejectsOtherKindsOfFiles) {
  const std::string banner = "; a file of Matrix Market begins with %%MatrixMarket";
  const std::string matrix = "%%MatrixMarket matrix ";
  expect_refused_matrices(
      {{"", "1: begins with \"\"" + banner},
       {"1 2 3\n", "1: begins with \"1\"" + banner},
       {"%%MatrixMarket vector array real general\n1\n1\n",
        "1: \"vector\" is not read, only matrix"},
       {matrix + "list real general\n1\n1\n",
        "1: format \"list\" is not read, only array and coordinate"},
       {matrix + "coordinate pattern general\n",
        "1: field \"pattern\" is not read, only real, double and integer"},
       {matrix + "array complex general\n",
        "1: field \"complex\" is not read, only real, double and integer"},
       {matrix + "array real skew-symmetric\n",
        "1: symmetry \"skew-symmetric\" is not read, only general and symmetric"},
       {matrix + "array real\n1 1\n1\n",
        "1: symmetry \"\" is not read, only general and symmetric"},
       {matrix + "array real general 2 2\n", "1: \"2\" after the banner"}});
}

TEST(MatrixMarket, RejectsSizesThatCannotBe) {
  const std::string beyond = " is out of range; it must lie between 0 and ";
  expect_refused_matrices(
      {{array + "% nothing more\n", "2: the file ends before the numbers of rows and columns"},
       {coordinate, "1: the file ends before the numbers of rows, columns and entries"},
       {array + "3\n", "2: the line ends before the number of columns"},
       {coordinate + "3 4\n", "2: the line ends before the number of entries"},
       {array + "3 4 5\n", "2: \"5\" after the numbers of rows and columns"},
       {array + " % indented\n1 1\n1\n", "2: number of rows \"%\" is not an integer"},
       {array + "\n3 x\n", "3: number of columns \"x\" is not an integer"},
       {array + "-1 4\n", "2: number of rows \"-1\"" + beyond + "2147483647"},
       {array + "1 2147483648\n", "2: number of columns \"2147483648\"" + beyond + "2147483647"},
       {coordinate + "1 1 -1\n", "2: number of entries \"-1\"" + beyond + "9223372036854775807"},
       {"%%MatrixMarket matrix array real symmetric\n2 3\n",
        "2: a symmetric matrix is square, not 2 x 3"}});
}

TEST(MatrixMarket, RejectsMoreOrFewerEntriesThanAnnounced) {
  expect_refused_matrices(
      {{array + "2 2\n1\n2\n3\n", "2: announces 4 entries but the file holds 3"},
       {array + "2 1\n1\n2\n3\n", "5: \"3\" after the last entry; line 2 announces 2 entries"},
       {coordinate + "2 2 1\n1 1 1\n2 2 2\n",
        "4: \"2\" after the last entry; line 2 announces 1 entry"},
       // A wrong count takes no memory.
       {array + "2147483647 2147483647\n1\n",
        "2: announces 4611686014132420609 entries but the file holds 1"},
       {coordinate + "2 2 9223372036854775807\n1 1 1\n",
        "2: announces 9223372036854775807 entries but the file holds 1"}});
}

TEST(MatrixMarket, RejectsEntriesThatAreNone) {
  expect_refused_matrices(
      {{array + "2 1\n1,5\n2\n", "3: value \"1,5\" is not a number"},
       {array + "2 1\n1 2\n", "3: \"2\" after the value"},
       {array + "2 1\nnan\n2\n", "3: value \"nan\" is not finite"},
       {array + "2 1\n1\n-inf\n", "4: value \"-inf\" is not finite"},
       {coordinate + "2 2 1\n1 1\n", "3: the line ends before the value"},
       {coordinate + "2 2 1\n1 2 3 4\n", "3: \"4\" after row, column and value"},
       {coordinate + "2 2 1\n1 2.0 3\n", "3: column \"2.0\" is not an integer"}});
  expect_refused_matrices<float>({{array + "1 1\n1e39\n",
                                   "3: value \"1e39\" is out of range; it must lie between "
                                   "-3.4028235e+38 and 3.4028235e+38"}});
}

TEST(MatrixMarket, RejectsEntriesInWrongPlaces) {
  expect_refused_matrices(
      {{coordinate + "2 3 1\n3 1 1\n", "3: row \"3\" is out of range; it must lie between 1 and 2"},
       {coordinate + "2 3 1\n1 0 1\n",
        "3: column \"0\" is out of range; it must lie between 1 and 3"},
       {coordinate + "2 3 3\n1 2 1\n2 2 1\n1 2 1\n", "5: entry (1, 2) is on line 3 already"},
       {symmetric + "3 3 1\n1 2 5\n",
        "3: entry (1, 2) is above the diagonal; a symmetric matrix is given by its lower triangle"},
       {symmetric + "3 3 3\n2 1 5\n3 3 1\n\n2 1 5\n", "6: entry (2, 1) is on line 3 already"},
       // Of several mistakes, the first by rows and columns is reported.
       {coordinate + "2 2 5\n2 2 1\n2 2 1\n1 2 1\n1 2 2\n1 2 3\n",
        "6: entry (1, 2) is on line 5 already"}});
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
  const DenseMatrix<double> a = dense_of(content_of(
      written_by("a.mtx", [&](OutputFile& file) { write_matrix_market(values, 31, 33, file); })));
  EXPECT_EQ(a.rows, 31);
  EXPECT_EQ(a.columns, 33);
  EXPECT_EQ(a.values, values);

  const SparseMatrix<double> sparse{2, 3, {0, 1, 3}, {2, 0, 1}, {0.1, -2, 3e-30}};
  written_by("b.mtx", [&](OutputFile& file) { write_matrix_market(sparse, file); });
  EXPECT_EQ(content("b.mtx"),
            "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 3 0.1\n2 1 -2\n2 2 3e-30\n");
  const auto b =
      std::get<SparseMatrix<double>>(read_matrix_market<double>(MappedFile(path("b.mtx"))));
  EXPECT_EQ(b.row_offsets, sparse.row_offsets);
  EXPECT_EQ(b.column_indices, sparse.column_indices);
  EXPECT_EQ(b.values, sparse.values);
}

TEST_F(MatrixMarketFile, AsksForTheMemoryOfRowsBeforeItIsTaken) {
  const SmallMachine machine(path("machine"), "2000 kB");
  const auto read = [](const std::string& text) {
    read_matrix_market<double>(MappedFile("a.mtx", text));
  };
  EXPECT_EQ(refusal([&] {
              read("%%MatrixMarket matrix coordinate real general\n2000000000 5 1\n1 1 4\n");
            }),
            "a.mtx needs 16 GB of memory");
  std::string zeros = array + "600 600\n";
  for (int i = 0; i < 360'000; ++i) zeros += "0\n";
  EXPECT_EQ(refusal([&] { read(zeros); }), "a.mtx needs 0.00288 GB of memory");
}

}  // namespace
}  // namespace bombard
