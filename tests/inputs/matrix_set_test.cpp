#include "inputs/matrix_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/npy.hpp"
#include "tests/inputs/pipe.hpp"
#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

using namespace std::string_literals;
using Matrix3x3 = std::array<std::int32_t, 9>;
using Matrices = std::vector<Matrix3x3>;

class SetsOfMatrices : public TemporaryDirectory {
 protected:
  std::string set(const std::string& text) const { return written("set", text); }
  template <class T>
  std::string set(const std::vector<T>& values, const std::vector<std::int64_t>& shape) const {
    return written_by("set", [&](OutputFile& file) { write_npy(values, shape, file); });
  }
  /// The matrices that a set hands on: in order by one thread, sorted by several.
  Matrices read(const std::string& text, int threads = 1) const {
    const MappedFile file("set", text);
    Matrices matrices;
    std::mutex taking;
    const std::int64_t number = MatrixSet(file).read<std::int32_t>(
        threads, [&](int thread, std::span<const std::int32_t> elements) {
          EXPECT_TRUE(thread >= 0 && thread < threads);
          EXPECT_TRUE(!elements.empty() && elements.size() % 9 == 0);
          const std::lock_guard lock(taking);
          for (; !elements.empty(); elements = elements.subspan(9)) {
            std::ranges::copy(elements.first(9), matrices.emplace_back().begin());
          }
        });
    EXPECT_EQ(number, std::ssize(matrices));
    if (threads > 1) std::ranges::sort(matrices);
    return matrices;
  }
  /// The message with which a file is rejected, its name left out.
  std::string rejection_of(const std::string& path, int threads = 1) const {
    const std::string message = rejection([&] {
      const MappedFile file(path);
      const MatrixSet set(file);
      std::visit([&]<class T>(T) { set.read<T>(threads, [](int, std::span<const T>) {}); },
                 set.element());
    });
    EXPECT_TRUE(message.starts_with("set:")) << message;
    return message.substr(std::min<std::size_t>(3, message.size()));
  }
  std::string rejected(const std::string& text, int threads = 1) const {
    return rejection_of(set(text), threads);
  }
  /// Texts, each with the message with which it is rejected, behind the file's name and a colon.
  void expect_rejections(const tests::Refusals& texts) const {
    tests::expect_messages(
        texts, [&](const std::string& text) { return rejected(text); }, ":");
  }
};

std::string text_of(const Matrices& matrices) {
  std::string text = std::to_string(matrices.size()) + "\n";
  for (const auto& m : matrices) {
    text += "***\n";
    for (int i = 0; i < 9; ++i) text += std::to_string(m[i]) + (i % 3 < 2 ? " " : "\n");
  }
  return text;
}

Matrices random_matrices(std::size_t number, std::mt19937_64& random) {
  Matrices matrices(number);
  for (auto& m : matrices) {
    for (std::int32_t& element : m) element = static_cast<std::int32_t>(random()) >> random() % 32;
  }
  return matrices;
}

TEST_F(SetsOfMatrices, AHandful) {
  EXPECT_EQ(read("3\n"
                 "***\n4 -5 6\n7 8 9\n1 2 3\n"
                 "***\n5 5 5\n-5 5 5\n5 5 -2147483648\n"
                 "***\n0 9 9\n9 2147483647 9\n9 9 9\n"),
            (Matrices{{4, -5, 6, 7, 8, 9, 1, 2, 3},
                      {5, 5, 5, -5, 5, 5, 5, 5, -2147483647 - 1},
                      {0, 9, 9, 9, 2147483647, 9, 9, 9, 9}}));
  EXPECT_EQ(read("1\n***\n1 2 3\n4 5 6\n7 8 9\n"), (Matrices{{1, 2, 3, 4, 5, 6, 7, 8, 9}}));
}

TEST_F(SetsOfMatrices, RejectsCommentsAndCommasInWrongPlaces) {
  expect_rejections(
      {{"1\n***\n1,,3\n", "3: element \",3\" is not an integer"},
       {"1\n***\n1 2 # 3\n", "3: the line ends in row 1 of a matrix after 2 of its 3 numbers"},
       {"1\n***,\n1 2 3\n", "2: \",\" after ***, which takes a line of its own"},
       {"# 2\n2\n***\n1 2 3\n4 5 6\n7 8 9\n",
        "2: the count says 2 matrices but the file holds 1"}});
}

/// The text, laid out in another way at random places.
std::string of_any_look(const std::string& text, std::mt19937_64& random) {
  std::string other;
  for (const char c : text) {
    if (c == '\n' && random() % 8 == 0) other += " \r";
    if (c == ' ' && random() % 8 == 0) other += '\t';
    other += c;
    if (c == '\n' && random() % 8 == 0) other += random() % 2 == 0 ? "\n" : "  \r\n\n";
  }
  return other;
}

TEST_F(SetsOfMatrices, EveryMatrixWhereverSectionsEndAndOnAnyThreads) {
  std::mt19937_64 random(1);
  for (const std::size_t number : {2, 3, 31, 1023, 5003, 20011, 40009}) {
    Matrices matrices = random_matrices(number, random);
    const std::string text = text_of(matrices);
    const std::string other_look = of_any_look(text, random);
    EXPECT_TRUE(read(text) == matrices && read(other_look) == matrices) << number;
    std::ranges::sort(matrices);
    for (const int threads : {2, 3, 8}) {
      EXPECT_TRUE(read(text, threads) == matrices) << number;
      EXPECT_TRUE(read(other_look, threads) == matrices) << number;
    }
  }
}

TEST_F(SetsOfMatrices, RejectsACountThatIsNoneOrNotThatOfTheMatrices) {
  const std::string matrix = "***\n1 2 3\n4 5 6\n7 8 9\n";
  const std::string empty = "no count: the file is empty; a set begins with its number of matrices";
  const std::string beyond = " is out of range; it must lie between 0 and 1152921504606846976";
  expect_rejections(
      {{"", "1: " + empty},
       {" \n\n", "3: " + empty},
       {"two\n" + matrix, "1: count \"two\" is not an integer"},
       {matrix, "1: count \"***\" is not an integer"},
       {"\n-1\n" + matrix, "2: count \"-1\"" + beyond},
       {"99999999999999999999\n" + matrix, "1: count \"99999999999999999999\"" + beyond},
       {"\n2\n" + matrix, "2: the count says 2 matrices but the file holds 1"},
       {"1\n" + matrix + matrix, "1: the count says 1 matrix but the file holds 2"},
       {"4", "1: the count says 4 matrices but the file holds 0"},
       {"0\n", "1: the set is empty, and no matrices have no minimum"}});
}

TEST_F(SetsOfMatrices, RejectsMatricesOfAnotherShape) {
  const std::string begin = " where a matrix must begin: with a line of nothing but ***";
  const std::string behind = "; a row takes a line of its own";
  expect_rejections(
      {{"1\n1 2 3\n4 5 6\n7 8 9\n", "2: \"1\"" + begin},
       {"1\n**\n1 2 3\n4 5 6\n7 8 9\n", "2: \"**\"" + begin},
       {"1\n ***\n1 2 3\n4 5 6\n7 8 9\n", "2: \"***\"" + begin},
       {"1\n*** 1 2 3\n4 5 6\n7 8 9\n", "2: \"1\" after ***, which takes a line of its own"},
       {"1\n***\n1 2\n4 5 6\n7 8 9\n",
        "3: the line ends in row 1 of a matrix after 2 of its 3 numbers"},
       {"1\n***\n1 2 3\n4 5 6 7\n7 8 9\n", "4: \"7\" after the 3 numbers of row 2" + behind},
       {"1\n***\n1 2 3 4 5 6 7 8 9\n", "3: \"4\" after the 3 numbers of row 1" + behind},
       {"1\n***\n1 2 3\n4 5 6\n7 8 9\n1 2 3\n", "6: \"1\"" + begin},
       {"2\n***\n1 2 3\n4 5 6\n***\n1 2 3\n4 5 6\n7 8 9\n",
        "5: *** begins another in row 3 of a matrix after 0 of its 3 numbers"},
       {"1\n***\n1 2 3\n4 5 6\n7 8",
        "5: the file ends in row 3 of a matrix after 2 of its 3 numbers"},
       {"1\n***\n1 2 3\n4 5 6\n", "5: the file ends in row 3 of a matrix after 0 of its 3 numbers"},
       {"1\n***", "2: the file ends in row 1 of a matrix after 0 of its 3 numbers"}});
}

// Alone, and with other matrices behind them, so that the fast way looks at them.
TEST_F(SetsOfMatrices, RejectsElementsThatAreNoIntegersOf32Bits) {
  const std::string matrix = "***\n100 200 300\n400 500 600\n700 800 900\n";
  const auto expect_rejected = [&](const std::string& element, const std::string& is) {
    const std::string begin = "***\n1 2 3\n4 " + element + " 6\n7 8 9\n";
    const std::string message = ":4: element \"" + element + "\" is " + is;
    EXPECT_EQ(rejected("1\n" + begin), message);
    EXPECT_EQ(rejected("4\n" + begin + matrix + matrix + matrix), message);
  };
  for (const std::string element : {"5.5", "-", "1:2", "1/2", "--1"}) {
    expect_rejected(element, "not an integer");
  }
  for (const std::string number :
       {"2147483648", "-2147483649", "99999999999999", "18446744073709551617"}) {
    expect_rejected(number, "out of range; it must lie between -2147483648 and 2147483647");
  }
}

// Mistakes at the end of a section and at the beginning of the next: another thread finds the later
// one first.
TEST_F(SetsOfMatrices, ReportTheFirstMistakeThoughALaterOneIsFoundBefore) {
  std::mt19937_64 random(9);
  std::string text = text_of(random_matrices(20'000, random));
  const std::size_t first = matrix_section_size - 200;
  text[first] = 'x';
  text[matrix_section_size + 1000] = 'x';
  const std::string line = std::to_string(1 + std::count(text.begin(), text.begin() + first, '\n'));
  for (int trial = 0; trial < 20; ++trial) {
    const std::string message = rejected(text, 2);
    EXPECT_TRUE(message.starts_with(":" + line + ": ")) << message << " instead of " << line;
  }
}

TEST_F(SetsOfMatrices, ComeFromAPipeNoFartherThanToAMatrixTooMany) {
  const std::string matrix = "***\n1 2 3\n4 5 6\n7 8 9\n";
  const auto rejected = [&](const std::string& begin, const std::string& again) {
    const Pipe pipe(path("pipe"), begin, again);
    return rejection([&] { MatrixSet(MappedFile(path("pipe"), MatrixSet::look)); });
  };
  EXPECT_EQ(rejected("\n5\n", matrix), "pipe:2: the count says 5 matrices but the file holds more");
  EXPECT_EQ(rejected("5\n", "0 "),
            "pipe:1: 262144 bytes without the *** of a matrix: this is not a set");
  std::mt19937_64 random(3);
  const std::string text = text_of(random_matrices(20'000, random));
  const Pipe pipe(path("pipe"), text);
  EXPECT_EQ(MappedFile(path("pipe"), MatrixSet::look).content(), text);
}

TEST_F(SetsOfMatrices, RejectNumPyArraysOfAnotherShape) {
  const std::string wanted = "; a set of matrices is N x 3 x 3";
  EXPECT_EQ(rejection_of(set<float>(std::vector<float>(18), {2, 9})),
            ": this array is 2 x 9" + wanted);
  EXPECT_EQ(rejection_of(set<float>(std::vector<float>(24), {2, 3, 4})),
            ": this array is 2 x 3 x 4" + wanted);
  EXPECT_EQ(rejection_of(set<float>({}, {0, 3, 3})),
            ": the set is empty, and no matrices have no minimum");
}

TEST_F(SetsOfMatrices, PassOnWhatTheTakerThrows) {
  std::mt19937_64 random(7);
  const MappedFile file(set(text_of(random_matrices(20'000, random))));
  const auto refuse = [](int, std::span<const std::int32_t>) { throw std::runtime_error("no"); };
  EXPECT_THROW(MatrixSet(file).read<std::int32_t>(2, refuse), std::runtime_error);
}

}  // namespace
}  // namespace bombard
