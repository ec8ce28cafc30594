#include "inputs/matrix_set.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/npy.hpp"
#include "tests/inputs/damage.hpp"

namespace bombard {
namespace {

using namespace std::string_literals;
using Nine = std::array<double, 9>;
using Matrices = std::vector<std::array<std::int32_t, 9>>;

/// A file of its own for each test, removed with it.
class MatrixSet : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  std::string written(const std::string& text) const {
    std::filesystem::remove(path_);  // a truncated file would wait for the disk
    std::ofstream(path_, std::ios::binary) << text;
    return path_;
  }
  template <class T>
  std::string written(const std::vector<T>& values, const std::vector<std::int64_t>& shape) const {
    OutputFile file(path_);
    write_npy<T>(values, shape, file);
    file.commit();
    return path_;
  }
  MatrixSetMinima minima(const std::string& text, int threads = 0) const {
    return matrix_set_minima(written(text), threads);
  }
  /// What a file is rejected with, its path left out.
  std::string rejection_of(const std::string& path, int threads = 0) const {
    try {
      matrix_set_minima(path, threads);
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path_)) << message;
      return message.substr(std::min(path_.size(), message.size()));
    }
    return "no error";
  }
  std::string rejection(const std::string& text, int threads = 0) const {
    return rejection_of(written(text), threads);
  }

  std::string path_ =
      testing::TempDir() + "bombard_matrix_set_" + std::to_string(::getpid()) + ".txt";
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

Nine minima_of(const Matrices& matrices) {
  Nine minima;
  minima.fill(std::numeric_limits<std::int32_t>::max());
  for (const auto& m : matrices) {
    for (int i = 0; i < 9; ++i) minima[i] = std::min(minima[i], static_cast<double>(m[i]));
  }
  return minima;
}

TEST_F(MatrixSet, ReducesAHandfulOfMatrices) {
  const MatrixSetMinima found = minima(
      "3\n"
      "***\n4 -5 6\n7 8 9\n1 2 3\n"
      "***\n5 5 5\n-5 5 5\n5 5 -2147483648\n"
      "***\n0 9 9\n9 2147483647 9\n9 9 9\n");
  EXPECT_EQ(found.matrices, 3);
  EXPECT_EQ(found.values, (Nine{0, -5, 5, -5, 5, 5, 1, 2, -2147483648.0}));
  EXPECT_EQ(minima("1\n***\n1 2 3\n4 5 6\n7 8 9\n").values, (Nine{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(MatrixSet, AcceptsBlanksCarriageReturnsSignsAndNoLastLineFeed) {
  const Nine expected{1, -2, 3, 4, 5, 6, 7, 8, 9};
  const std::string mark = "\xEF\xBB\xBF";
  for (const std::string& text :
       {"1\r\n***\r\n1 -2 3\r\n4 5 6\r\n7 8 9\r\n"s, "1\n***\n1 -2 3\n4 5 6\n7 8 9"s,
        "1\n***\n1\t-2  3\n 4 5 6 \n7 8 9\t\n\n"s, "\n 1 \n\n***  \n\n1 -2 3\n\n4 5 6\n\n7 8 9\n"s,
        mark + "+1\n***\n+1 -2 03\n0000000000004 5 6\n7 8 9\n",
        "1\n***\n1 -000000000000000000000002 3\n4 5 6\n7 8 9\n"s}) {
    EXPECT_EQ(minima(text).values, expected) << text;
  }
}

TEST_F(MatrixSet, AcceptsCommentsAndCommas) {
  const Nine expected{1, -2, 3, 4, 5, 6, 7, 8, 9};
  for (const std::string& text :
       {"# a set\n1# matrix\n\n# ***\n***# begins\n1 -2 3# 4\n#\n4 5 6\n7 8 9 #"s,
        "1\n***\n1,-2,3\n4 , 5, 6,\n7,8,9,\n"s}) {
    EXPECT_EQ(minima(text).values, expected) << text;
  }
  EXPECT_EQ(rejection("1\n***\n1,,3\n"), ":3: element \",3\" is not an integer");
  EXPECT_EQ(rejection("1\n***\n1 2 # 3\n"),
            ":3: the line ends in row 1 of a matrix after 2 of its 3 numbers");
  EXPECT_EQ(rejection("1\n***,\n1 2 3\n"), ":2: \",\" behind ***, which takes a line of its own");
  EXPECT_EQ(rejection("# 2\n2\n***\n1 2 3\n4 5 6\n7 8 9\n"),
            ":2: the count says 2 matrices but the file holds 1");
}

TEST_F(MatrixSet, ReadsNumbersOfEveryLength) {
  for (std::int64_t value = 1; value <= 2147483647; value = value * 10 + 2) {
    for (const std::int64_t sign : {1, -1}) {
      const std::string number = std::to_string(sign * value);
      const std::string matrix =
          "***\n" + number + " 1 2\n3 " + number + " 4\n5 6 " + number + "\n";
      std::string text = "40\n";
      for (int i = 0; i < 40; ++i) text += matrix;
      const double v = static_cast<double>(sign * value);
      EXPECT_EQ(minima(text).values, (Nine{v, 1, 2, 3, v, 4, 5, 6, v})) << number;
    }
  }
}

TEST_F(MatrixSet, AgreesWithASimpleLoopWhereverSectionsEndAndOnAnyThreads) {
  std::mt19937_64 random(1);
  for (const std::size_t number : {2, 3, 31, 1023, 5003, 20011, 40009}) {
    const Matrices matrices = random_matrices(number, random);
    for (const int threads : {1, 2, 3, 8}) {
      const MatrixSetMinima found = minima(text_of(matrices), threads);
      EXPECT_EQ(found.matrices, static_cast<std::int64_t>(number));
      EXPECT_EQ(found.values, minima_of(matrices));
    }
  }
}

TEST_F(MatrixSet, ReadsLargeSetsOfAnyLook) {
  std::mt19937_64 random(8);
  const Matrices matrices = random_matrices(20'011, random);
  std::string text;
  for (const char c : text_of(matrices)) {
    if (c == '\n' && random() % 8 == 0) text += " \r";
    if (c == ' ' && random() % 8 == 0) text += '\t';
    text += c;
    if (c == '\n' && random() % 8 == 0) text += random() % 2 == 0 ? "\n" : "  \r\n\n";
  }
  for (const int threads : {1, 3}) {
    const MatrixSetMinima found = minima(text, threads);
    EXPECT_EQ(found.matrices, 20'011);
    EXPECT_EQ(found.values, minima_of(matrices));
  }
}

TEST_F(MatrixSet, SeesEveryMatrix) {
  // The smallest element is a single one, in turn in every place of a set of several sections.
  for (std::size_t place = 0; place < 30'000; place += 997) {
    Matrices matrices(30'000, {12, 345, 6789, -1, -23, -456, 1, 2, 3});
    matrices[place][place % 9] = -7654321;
    EXPECT_EQ(minima(text_of(matrices)).values, minima_of(matrices)) << place;
  }
}

TEST_F(MatrixSet, RejectsACountThatIsNoneOrNotThatOfTheMatrices) {
  const std::string matrix = "***\n1 2 3\n4 5 6\n7 8 9\n";
  const std::string empty = "no count: the file is empty; a set begins with its number of matrices";
  EXPECT_EQ(rejection(""), ":1: " + empty);
  EXPECT_EQ(rejection(" \n\n"), ":3: " + empty);
  EXPECT_EQ(rejection("two\n" + matrix), ":1: count \"two\" is not an integer");
  EXPECT_EQ(rejection(matrix), ":1: count \"***\" is not an integer");
  EXPECT_EQ(rejection("\n-1\n" + matrix),
            ":2: count \"-1\" is out of range; it must lie between 0 and 1152921504606846976");
  EXPECT_EQ(rejection("99999999999999999999\n" + matrix),
            ":1: count \"99999999999999999999\" is out of range; it must lie between 0 and "
            "1152921504606846976");
  EXPECT_EQ(rejection("\n2\n" + matrix), ":2: the count says 2 matrices but the file holds 1");
  EXPECT_EQ(rejection("1\n" + matrix + matrix), ":1: the count says 1 matrix but the file holds 2");
  EXPECT_EQ(rejection("4"), ":1: the count says 4 matrices but the file holds 0");
  EXPECT_EQ(rejection("0\n"), ":1: the set is empty, and no matrices have no minimum");
}

TEST_F(MatrixSet, RejectsMatricesOfAnotherShape) {
  EXPECT_EQ(rejection("1\n1 2 3\n4 5 6\n7 8 9\n"),
            ":2: \"1\" where a matrix must begin: with a line of nothing but ***");
  EXPECT_EQ(rejection("1\n**\n1 2 3\n4 5 6\n7 8 9\n"),
            ":2: \"**\" where a matrix must begin: with a line of nothing but ***");
  EXPECT_EQ(rejection("1\n ***\n1 2 3\n4 5 6\n7 8 9\n"),
            ":2: \"***\" where a matrix must begin: with a line of nothing but ***");
  EXPECT_EQ(rejection("1\n*** 1 2 3\n4 5 6\n7 8 9\n"),
            ":2: \"1\" behind ***, which takes a line of its own");
  EXPECT_EQ(rejection("1\n***\n1 2\n4 5 6\n7 8 9\n"),
            ":3: the line ends in row 1 of a matrix after 2 of its 3 numbers");
  EXPECT_EQ(rejection("1\n***\n1 2 3\n4 5 6 7\n7 8 9\n"),
            ":4: \"7\" behind the 3 numbers of row 2; a row takes a line of its own");
  EXPECT_EQ(rejection("1\n***\n1 2 3 4 5 6 7 8 9\n"),
            ":3: \"4\" behind the 3 numbers of row 1; a row takes a line of its own");
  EXPECT_EQ(rejection("1\n***\n1 2 3\n4 5 6\n7 8 9\n1 2 3\n"),
            ":6: \"1\" where a matrix must begin: with a line of nothing but ***");
  EXPECT_EQ(rejection("2\n***\n1 2 3\n4 5 6\n***\n1 2 3\n4 5 6\n7 8 9\n"),
            ":5: *** begins another in row 3 of a matrix after 0 of its 3 numbers");
}

TEST_F(MatrixSet, RejectsAFileThatEndsWithinAMatrix) {
  EXPECT_EQ(rejection("1\n***\n1 2 3\n4 5 6\n7 8"),
            ":5: the file ends in row 3 of a matrix after 2 of its 3 numbers");
  EXPECT_EQ(rejection("1\n***\n1 2 3\n4 5 6\n"),
            ":5: the file ends in row 3 of a matrix after 0 of its 3 numbers");
  EXPECT_EQ(rejection("1\n***"), ":2: the file ends in row 1 of a matrix after 0 of its 3 numbers");
}

TEST_F(MatrixSet, RejectsElementsThatAreNoIntegersOf32Bits) {
  EXPECT_EQ(rejection("1\n***\n1 2 3\n4 5.5 6\n7 8 9\n"), ":4: element \"5.5\" is not an integer");
  EXPECT_EQ(rejection("1\n***\n1 2 3\n4 - 6\n7 8 9\n"), ":4: element \"-\" is not an integer");
  EXPECT_EQ(rejection("1\n***\n1 2 3\n4 \x80\0 6\n7 8 9\n"s),
            ":4: element \"\\x80\\x00\" is not an integer");
  for (const std::string number :
       {"2147483648", "-2147483649", "99999999999999", "4294967297", "18446744073709551617"}) {
    std::string text = "32\n***\n1 2 3\n4 5 6\n7 8 9\n***\n1 2 3\n4 5 6\n7 8 " + number + "\n";
    const std::string message =
        ":9: element \"" + number +
        "\" is out of range; it must lie between -2147483648 and 2147483647";
    EXPECT_EQ(rejection(text), message);
    for (int i = 0; i < 30; ++i) text += "***\n1 2 3\n4 5 6\n7 8 9\n";  // the quick reader's turn
    EXPECT_EQ(rejection(text), message);
  }
}

TEST_F(MatrixSet, ReportsTheFirstMistakeOfTheFileOnAnyThreads) {
  std::mt19937_64 random(3);
  const std::string sound = text_of(random_matrices(40'000, random));
  for (int trial = 0; trial < 20; ++trial) {
    std::string text = sound;
    std::size_t first = text.size();
    for (int damages = 3; damages > 0; --damages) {
      const std::size_t at = 8 + random() % (text.size() - 8);
      text[at] = 'x';
      first = std::min(first, at);
    }
    const std::string message = rejection(text, 1);
    const std::int64_t line = 1 + std::count(sound.begin(), sound.begin() + first, '\n');
    EXPECT_TRUE(message.starts_with(":" + std::to_string(line) + ": ")) << message << " " << line;
    EXPECT_EQ(rejection(text, 2), message);
    EXPECT_EQ(rejection(text, 5), message);
  }
}

/// Reads a set one token after another, as plainly as can be; nothing for one that is wrong.
std::optional<Nine> plainly(const std::string& text) {
  std::istringstream lines(text);
  std::string line, word;
  const auto next_line = [&] {  // the words of the next line that has any
    std::vector<std::string> words;
    while (words.empty() && std::getline(lines, line)) {
      std::istringstream in(line);
      while (in >> word) words.push_back(word);
    }
    return words;
  };
  const auto integer = [](const std::string& word) -> std::optional<std::int64_t> {
    const std::size_t sign = word[0] == '-' || word[0] == '+' ? 1 : 0;
    if (word.size() == sign || word.size() > 18 ||
        word.find_first_not_of("0123456789", sign) != std::string::npos) {
      return {};
    }
    return std::stoll(word);
  };
  const std::vector<std::string> first = next_line();
  if (first.size() != 1 || !integer(first[0]) || *integer(first[0]) < 1) return {};
  std::int64_t count = *integer(first[0]);
  Nine minima;
  minima.fill(std::numeric_limits<std::int32_t>::max());
  for (; count > 0; --count) {
    if (next_line() != std::vector<std::string>{"***"} || line[0] != '*') return {};
    for (int row = 0; row < 3; ++row) {
      const std::vector<std::string> words = next_line();
      if (words.size() != 3) return {};
      for (int column = 0; column < 3; ++column) {
        const std::optional<std::int64_t> value = integer(words[column]);
        if (!value || *value != static_cast<std::int32_t>(*value)) return {};
        minima[3 * row + column] = std::min(minima[3 * row + column], static_cast<double>(*value));
      }
    }
  }
  if (!next_line().empty()) return {};
  return minima;
}

// A set damaged at random is rejected exactly when a plain reader rejects it, and read the same.
TEST_F(MatrixSet, ReadsDamagedSetsAsAPlainReaderDoes) {
  // So long behind the damage that the quick reader is tried on it, which needs room to look ahead.
  const std::string tail = "***\n1 1 1\n1 1 1\n1 1 1\n";
  const std::string sound =
      "12\n***\n1 -2 3\n40 50 60\n700 800 -900\n***\n1234567 12345678 123456789\n0 0 0\n-1 -1 -1\n"
      "***\n9 8 7\n6 5 4\n3 2 1\n***\n10 11 12\n13 14 15\n16 17 18\n";
  const std::string end = tail + tail + tail + tail + tail + tail + tail + tail;
  const std::string alphabet = "0123456789+-* \n\r\tx/:\xB2"s;
  std::mt19937_64 random(4);
  int read = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    std::string text = damaged(sound, alphabet, 2, random);
    if (random() % 4 > 0) text += end;
    const std::optional<Nine> expected = plainly(text);
    std::optional<Nine> found;
    try {
      found = minima(text, 1).values;
      ++read;
    } catch (const InputError&) {
    }
    ASSERT_EQ(found, expected) << text;
  }
  EXPECT_GT(read, 1000);
}

TEST_F(MatrixSet, ReducesNumPyArraysOfEveryType) {
  const std::vector<std::int64_t> shape{2, 3, 3};
  EXPECT_EQ(
      matrix_set_minima(
          written<std::int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 8, 7, 6, 5, 4, 3, 2, -1}, shape), 0)
          .values,
      (Nine{1, 2, 3, 4, 5, 4, 3, 2, -1}));
  EXPECT_EQ(matrix_set_minima(
                written<float>({1, 2, 3, 4, 5, 6, 7, 8, 0.1F, 9, 8, 7, 6, 5, 4, 3, 2, 1}, shape), 0)
                .values,
            (Nine{1, 2, 3, 4, 5, 4, 3, 2, static_cast<double>(0.1F)}));
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  const MatrixSetMinima found = matrix_set_minima(
      written<double>({nan, 2, 3, 4, infinity, 6, 7, 8, 0.1, 9, nan, 7, 6, 5, -infinity, 3, 2, 1},
                      shape),
      2);
  EXPECT_EQ(found.matrices, 2);
  EXPECT_TRUE(std::isnan(found.values[0]));
  EXPECT_TRUE(std::isnan(found.values[1]));
  EXPECT_EQ(found.values[4], 5);
  EXPECT_EQ(found.values[5], -infinity);
  EXPECT_EQ(found.values[8], 0.1);
}

TEST_F(MatrixSet, ReducesLargeNumPyArraysOnAnyThreads) {
  std::mt19937_64 random(5);
  for (const std::size_t number : {1, 2, 3, 1025, 30'011}) {
    const Matrices matrices = random_matrices(number, random);
    std::vector<std::int32_t> values;
    for (const auto& m : matrices) values.insert(values.end(), m.begin(), m.end());
    const std::string file = written(values, {static_cast<std::int64_t>(number), 3, 3});
    for (const int threads : {1, 2, 7}) {
      EXPECT_EQ(matrix_set_minima(file, threads).values, minima_of(matrices));
    }
  }
}

TEST_F(MatrixSet, RejectsNumPyArraysOfAnotherShape) {
  EXPECT_EQ(rejection_of(written<float>(std::vector<float>(18), {2, 9})),
            ": this array is 2 x 9; a set of matrices is N x 3 x 3");
  EXPECT_EQ(rejection_of(written<float>(std::vector<float>(24), {2, 3, 4})),
            ": this array is 2 x 3 x 4; a set of matrices is N x 3 x 3");
  EXPECT_EQ(rejection_of(written<float>({}, {0, 3, 3})),
            ": the set is empty, and no matrices have no minimum");
}

TEST_F(MatrixSet, OrdersZerosAndNaNAlikeOnAnyThreads) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> first{0, -0.0F, 1, nan, -nan, 0, -0.0F, 0, 2};
  const std::vector<float> second{-0.0F, 0, -0.0F, 1, -nan, 0, -0.0F, 1, 2};
  for (const int threads : {1, 2, 3}) {
    for (const bool swapped : {false, true}) {
      std::vector<float> values = swapped ? second : first;
      const std::vector<float>& behind = swapped ? first : second;
      values.insert(values.end(), behind.begin(), behind.end());
      const Nine found = matrix_set_minima(written(values, {2, 3, 3}), threads).values;
      for (const int i : {0, 1, 2, 6}) EXPECT_TRUE(found[i] == 0 && std::signbit(found[i])) << i;
      for (const int i : {5, 7}) EXPECT_TRUE(found[i] == 0 && !std::signbit(found[i])) << i;
      for (const int i : {3, 4}) EXPECT_TRUE(std::isnan(found[i]) && !std::signbit(found[i])) << i;
    }
  }
}

/// Collects batches, as many buffers as threads ask for.
template <class T>
class Collector : public MatrixBatchSink<T> {
 public:
  explicit Collector(std::int64_t capacity) : capacity_(capacity), rooms_(16) {}

  std::span<T> room(int thread) override {
    rooms_[thread].assign(9 * capacity_, 12345);
    return rooms_[thread];
  }
  void take(int thread, std::span<const T> values, std::int64_t matrices) override {
    EXPECT_EQ(values.data(), rooms_[thread].data());
    ASSERT_LE(matrices, capacity_);
    ASSERT_GT(matrices, 0);
    const std::lock_guard lock(mutex_);
    for (std::int64_t m = 0; m < matrices; ++m) {
      auto& matrix = matrices_.emplace_back();
      for (int i = 0; i < 9; ++i) matrix[i] = values[i * capacity_ + m];
    }
  }
  /// The matrices that a file hands on, sorted.
  std::vector<std::array<T, 9>> all(const std::string& path, int threads) {
    const MatrixSetFile file(path);
    EXPECT_TRUE(std::holds_alternative<T>(file.element()));
    const std::int64_t number = file.read_batches<T>(threads, capacity_, *this);
    EXPECT_EQ(number, static_cast<std::int64_t>(matrices_.size()));
    std::sort(matrices_.begin(), matrices_.end());
    return matrices_;
  }

 private:
  std::int64_t capacity_;
  std::vector<std::vector<T>> rooms_;
  std::mutex mutex_;
  std::vector<std::array<T, 9>> matrices_;
};

TEST_F(MatrixSet, HandsEveryMatrixOnInBatches) {
  std::mt19937_64 random(6);
  for (const std::size_t number : {1, 2, 1000, 20'011}) {
    Matrices matrices = random_matrices(number, random);
    const std::string text = text_of(matrices);
    // The same matrices as elements of each type, of which doubles hold what floats cannot.
    std::vector<std::int32_t> integers;
    std::vector<float> floats;
    std::vector<double> doubles;
    std::vector<std::array<float, 9>> of_floats(number);
    std::vector<std::array<double, 9>> of_doubles(number);
    for (std::size_t m = 0; m < number; ++m) {
      for (int i = 0; i < 9; ++i) {
        integers.push_back(matrices[m][i]);
        floats.push_back(of_floats[m][i] = static_cast<float>(matrices[m][i]) / 4);
        doubles.push_back(of_doubles[m][i] = matrices[m][i] + 0x1p-20);
      }
    }
    std::sort(matrices.begin(), matrices.end());
    std::sort(of_floats.begin(), of_floats.end());
    std::sort(of_doubles.begin(), of_doubles.end());
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(number), 3, 3};
    for (const std::int64_t capacity : {1, 2, 1000, 1'000'000}) {
      if (number > 1000 && capacity < 1000) continue;
      for (const int threads : {1, 3}) {
        EXPECT_EQ(Collector<std::int32_t>(capacity).all(written(text), threads), matrices);
        EXPECT_EQ(Collector<std::int32_t>(capacity).all(written(integers, shape), threads),
                  matrices);
        EXPECT_EQ(Collector<float>(capacity).all(written(floats, shape), threads), of_floats);
        EXPECT_EQ(Collector<double>(capacity).all(written(doubles, shape), threads), of_doubles);
      }
    }
  }
}

TEST_F(MatrixSet, PassesOnWhatASinkThrows) {
  struct Refuser : Collector<std::int32_t> {
    using Collector::Collector;
    void take(int, std::span<const std::int32_t>, std::int64_t) override {
      throw std::runtime_error("no");
    }
  } refuser(10);
  std::mt19937_64 random(7);
  const MatrixSetFile file(written(text_of(random_matrices(20'000, random))));
  EXPECT_THROW(file.read_batches(2, 10, refuser), std::runtime_error);
}

TEST_F(MatrixSet, RejectsMistakesInBatchesToo) {
  Collector<std::int32_t> sink(10);
  const std::string file = written("1\n***\n1 2 3\n4 5 six\n7 8 9\n");
  try {
    MatrixSetFile(file).read_batches(2, 10, sink);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), file + ":4: element \"six\" is not an integer");
  }
  EXPECT_THROW(MatrixSetFile(written<float>(std::vector<float>(12), {1, 3, 4})), InputError);
}

}  // namespace
}  // namespace bombard
