#include "inputs/matrix_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "inputs/npy.hpp"
#include "tests/inputs/refusals.hpp"
#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

using Matrix3x3 = std::array<std::int32_t, 9>;
using Matrices = std::vector<Matrix3x3>;

class SetsOfMatrices : public TemporaryDirectory {
 protected:
  /// Reads a set, and leaves its matrices.
  static void read(const InputFile& file, int threads = 1) {
    const MatrixSet set(file);
    std::visit([&]<class T>(T) { set.read<T>(threads, [](std::span<const T>) {}); }, set.element());
  }
};

/// The matrices that a set hands on, sorted.
Matrices matrices_of(const std::string& text, int threads) {
  const InputFile file("set", text);
  Matrices matrices;
  std::mutex taking;
  const std::int64_t number =
      MatrixSet(file).read<std::int32_t>(threads, [&](std::span<const std::int32_t> elements) {
        EXPECT_TRUE(!elements.empty() && elements.size() % 9 == 0);
        const std::lock_guard lock(taking);
        for (; !elements.empty(); elements = elements.subspan(9)) {
          std::ranges::copy(elements.first(9), matrices.emplace_back().begin());
        }
      });
  EXPECT_EQ(number, std::ssize(matrices));
  std::ranges::sort(matrices);
  return matrices;
}

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

// The fuzz target matrix_set tests other looks, other ends of sections, and the order.
TEST_F(SetsOfMatrices, AreHandedOnWholeByAnyNumberOfThreads) {
  std::mt19937_64 random(1);
  for (const std::size_t number : {2, 3, 31, 1023, 5003, 20011, 40009}) {
    Matrices matrices = random_matrices(number, random);
    const std::string text = text_of(matrices);
    std::ranges::sort(matrices);
    for (const int threads : {1, 2, 3, 8}) {
      EXPECT_TRUE(matrices_of(text, threads) == matrices) << number << ", threads " << threads;
    }
  }
}

TEST_F(SetsOfMatrices, AreRefusedWithWhatIsWrong) {
  const std::string matrix = "***\n1 2 3\n4 5 6\n7 8 9\n";
  const std::string beyond = " is out of range; it must lie between ";
  const std::string begin = " where a matrix must begin: with a line of nothing but ***";
  const std::string behind = "; a row takes a line of its own";
  expect_refused(
      [&](const std::string& text) { read(InputFile("a", text)); },
      {{" \n\n", "3: no count: the file is empty; a set begins with its number of matrices"},
       {"two\n" + matrix, "1: count \"two\" is not an integer"},
       {"\n-1\n" + matrix, "2: count \"-1\"" + beyond + "0 and 1152921504606846976"},
       {"# 2\n2\n" + matrix, "2: the count says 2 matrices but the file holds 1"},
       {"1\n" + matrix + matrix, "1: the count says 1 matrix but the file holds 2"},
       {"0\n", "1: the set is empty, and no matrices have no minimum"},
       {"1\n1 2 3\n4 5 6\n7 8 9\n", "2: \"1\"" + begin},
       {"1\n ***\n1 2 3\n4 5 6\n7 8 9\n", "2: \"***\"" + begin},
       {"1\n***,\n1 2 3\n", "2: \",\" after ***, which takes a line of its own"},
       {"1\n***\n1 2 # 3\n", "3: the line ends in row 1 of a matrix after 2 of its 3 numbers"},
       {"1\n***\n1 2 3\n4 5 6 7\n7 8 9\n", "4: \"7\" after the 3 numbers of row 2" + behind},
       {"2\n***\n1 2 3\n4 5 6\n" + matrix,
        "5: *** begins another in row 3 of a matrix after 0 of its 3 numbers"},
       {"1\n***\n1 2 3\n4 5 6\n7 8",
        "5: the file ends in row 3 of a matrix after 2 of its 3 numbers"},
       {"1\n***\n1 2 5.5\n", "3: element \"5.5\" is not an integer"},
       {"1\n***\n2147483648 2 3\n",
        "3: element \"2147483648\"" + beyond + "-2147483648 and 2147483647"}});
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
  const InputFile file("a", text);
  for (int trial = 0; trial < 20; ++trial) {
    EXPECT_TRUE(tests::starts_with(rejection([&] { read(file, 2); }), "a:" + line + ": "));
  }
}

TEST_F(SetsOfMatrices, MayBeNumPyArraysOfOneShape) {
  const auto refused = [&](const auto& values, const std::vector<std::int64_t>& shape) {
    written_by("a", [&](OutputFile& file) { write_npy(values, shape, file); });
    return rejection([&] { read(path("a")); });
  };
  const std::string wanted = "; a set of matrices is N x 3 x 3";
  EXPECT_EQ(refused(std::vector<float>(18), {2, 9}), "a: this array is 2 x 9" + wanted);
  EXPECT_EQ(refused(std::vector<float>(24), {2, 3, 4}), "a: this array is 2 x 3 x 4" + wanted);
  EXPECT_EQ(refused(std::vector<float>(), {0, 3, 3}),
            "a: the set is empty, and no matrices have no minimum");
  EXPECT_EQ(refused(std::vector<std::int64_t>(9), {1, 3, 3}),
            "a: the elements of this set are int64; int32 (<i4), float32 (<f4) and float64 (<f8) "
            "are read: save a.astype(\"<i4\")");
}

TEST_F(SetsOfMatrices, PassOnWhatTheTakerThrows) {
  std::mt19937_64 random(7);
  const InputFile file("a", text_of(random_matrices(20'000, random)));
  const auto refuse = [](std::span<const std::int32_t>) { throw std::runtime_error("no"); };
  EXPECT_THROW(MatrixSet(file).read<std::int32_t>(2, refuse), std::runtime_error);
}

}  // namespace
}  // namespace bombard
