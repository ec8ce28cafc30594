#include "inputs/array_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "inputs/npy.hpp"
#include "tests/inputs/small_machine.hpp"
#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;
const std::string array_banner = "%%MatrixMarket matrix array real general\n";
const std::string coordinate_banner = "%%MatrixMarket matrix coordinate real general\n";

class ArrayFile : public TemporaryDirectory {
 protected:
  template <class T>
  std::string npy(const std::vector<T>& values, const std::vector<std::int64_t>& shape) const {
    std::filesystem::remove(path("a.npy"));
    return written_by("a.npy", [&](OutputFile& file) { write_npy(values, shape, file); });
  }
  template <class T>
  std::string text(const std::vector<T>& values, const std::vector<std::int64_t>& shape,
                   const std::string& name) const {
    return content_of(
        written_by(name, [&](OutputFile& file) { write_array(values, shape, file); }));
  }
};

// The fuzz target vector_text tests more texts.
TEST_F(ArrayFile, ReadsVectorsOfEveryFormat) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, Vector>>{
           {"# measured\n1,-2, 3 # and\n4,\n", Ints{1, -2, 3, 4}},
           {"", Ints{}},
           {"1 2 2147483648", Doubles{1, 2, 2147483648.0}},
           {array_banner + "1 2\n-1\n2147483647\n", Ints{-1, 2147483647}},
           {array_banner + "1 1\n2147483648\n", Doubles{2147483648.0}},
           {array_banner + "1 1\n-0\n", Doubles{-0.0}},
           {coordinate_banner + "4 1 2\n4 1 0.5\n2 1 -1\n", Doubles{0, -1, 0, 0.5}},
           {coordinate_banner + "1 4 2\n1 4 7\n1 2 -1\n", Ints{0, -1, 0, 7}}}) {
    EXPECT_EQ(read_vector(InputFile("a", text)), expected) << text;
  }
  EXPECT_EQ(read_vector(npy<std::int32_t>({1, 2}, {2})), Vector(Ints{1, 2}));
  EXPECT_EQ(read_vector(npy<float>({1.5F, 2}, {1, 2})), Vector(Floats{1.5F, 2}));
  EXPECT_EQ(read_vector(npy<double>({0.1, 2}, {2, 1})), Vector(Doubles{0.1, 2}));
  EXPECT_EQ(read_vector_as<float>(npy<double>({0.1, 2}, {2})), (Floats{0.1F, 2}));
  EXPECT_EQ(read_vector_as<double>(npy<float>({0.1F}, {1})), (Doubles{0.1F}));
  EXPECT_EQ(read_vector_as<float>(InputFile("a", "0.1 2")), (Floats{0.1F, 2}));
  EXPECT_EQ(read_vector_as<float>(InputFile("a", coordinate_banner + "4 1 1\n3 1 0.1\n")),
            (Floats{0, 0, 0.1F, 0}));
}

// On a machine of 2 MB, where a text of 60 bytes asks for what its elements take.
TEST_F(ArrayFile, AsksForMemoryBeforeItIsTaken) {
  const std::string floats = npy<float>(Floats(300'000, 0.5F), {300'000});
  const auto empty = [&](const std::string& sizes) {
    return written("a.mtx", coordinate_banner + sizes + " 0\n");
  };
  const SmallMachine machine(path("machine"), "2000 kB");
  const std::string needs = "a.mtx, with every element stored, needs ";
  EXPECT_EQ(refusal([&] { read_vector(empty("1 2147483647")); }), needs + "17.2 GB of memory");
  EXPECT_EQ(refusal([&] { read_vector_as<float>(empty("2147483647 1")); }),
            "a.mtx needs 17.2 GB of memory");
  EXPECT_EQ(refusal([&] { read_dense_matrix<double>(empty("100 2147483647")); }),
            needs + "1718 GB of memory");
  std::string ones;
  while (ones.size() < 600'000) ones += "1\n";
  for (const std::string& text : {ones, array_banner + "300000 1\n" + ones}) {
    EXPECT_EQ(refusal([&] { read_vector_as<double>(InputFile("a", text)); }),
              "a needs 0.0024 GB of memory");
  }
  EXPECT_EQ(refusal([&] { read_vector_as<double>(floats); }), "a.npy needs 0.0024 GB of memory");
  EXPECT_EQ(std::get<Floats>(read_vector(floats)).size(), 300'000);
}

TEST_F(ArrayFile, ReadsMatricesOfBothFormats) {
  const auto a = std::get<DenseMatrix<double>>(
      read_matrix<double>(npy<std::int32_t>({1, 2, 3, 4, 5, 6}, {2, 3})));
  EXPECT_EQ(a.rows, 2);
  EXPECT_EQ(a.columns, 3);
  EXPECT_EQ(a.values, (Doubles{1, 2, 3, 4, 5, 6}));
  // Rounded once, as number_text_test has it.
  const InputFile b("b.mtx", array_banner + "1 2\n1.00000005960464477539062500001\n2\n");
  EXPECT_EQ(std::get<DenseMatrix<float>>(read_matrix<float>(b)).values,
            (Floats{1.00000011920928955078F, 2}));
}

TEST_F(ArrayFile, SaysWhatIsWrong) {
  const std::string end = "; a vector has one dimension, or one row or one column";
  const std::string matrix = npy<float>(Floats(6), {2, 3});
  EXPECT_EQ(rejection([&] { read_vector(matrix); }), "a.npy: this array is 2 x 3" + end);
  const std::string deep = npy<float>(Floats(6), {1, 6, 1});
  EXPECT_EQ(rejection([&] { read_vector_as<double>(deep); }),
            "a.npy: this array is 1 x 6 x 1" + end);
  expect_refused([](const std::string& text) { read_vector(InputFile("a", text)); },
                 {{coordinate_banner + "4 2 0\n", " this array is 4 x 2" + end},
                  {"1\n2\nthree\n", "3: value \"three\" is not a number"}});
  expect_refused([](const std::string& text) { read_matrix<float>(InputFile("a", text)); },
                 {{"1 2\n3 4\n",
                   " is neither a file of Matrix Market, which begins with %%MatrixMarket, nor a "
                   "NumPy array (.npy)"}});
  EXPECT_EQ(rejection([&] { read_matrix<float>(npy<float>({1}, {1})); }),
            "a.npy: this array is 1; a matrix has two dimensions");
  const std::string large = npy<double>({1, 1e39}, {1, 2});
  EXPECT_EQ(rejection([&] { read_matrix<float>(large); }),
            "a.npy: element 2 is 1e+39, too large for float: use precision double");
}

TEST_F(ArrayFile, ReadsALayerInItsPrecision) {
  const auto layer = [&](const auto& values, const std::vector<std::int64_t>& shape) {
    return read_layer(npy(values, shape), 3);
  };
  EXPECT_EQ(layer(Floats{0.1F, -2, 0}, {3}), Layer(Floats{0.1F, -2, 0}));
  EXPECT_EQ(layer(Doubles{0.1, -2, 1e300}, {3}), Layer(Doubles{0.1, -2, 1e300}));
  const auto refused = [&](const auto& values, const std::vector<std::int64_t>& shape) {
    return rejection([&] { layer(values, shape); });
  };
  const std::string size = "; a layer of 3 cells has one dimension, 3";
  EXPECT_EQ(refused(Floats(4), {4}), "a.npy: is an array of 4" + size);
  EXPECT_EQ(refused(Floats(3), {3, 1}), "a.npy: is an array of 3 x 1" + size);
  EXPECT_EQ(refused(Ints(3), {3}), "a.npy: holds integers; a layer is float32 or float64");
  const std::string finite = "; every cell of a layer is a finite number";
  EXPECT_EQ(refused(Doubles{1, -INFINITY, NAN}, {3}), "a.npy: cell 1 is -inf" + finite);
  EXPECT_EQ(refused(Floats{1, 2, NAN}, {3}), "a.npy: cell 2 is nan" + finite);
  EXPECT_EQ(rejection([&] { read_layer(written("a.txt", "1 2 3"), 3); }),
            "a.txt: is not a NumPy array; a layer is one, as `bombard run --layer` writes it");
}

TEST_F(ArrayFile, WritesByExtension) {
  EXPECT_EQ(text(Doubles{0.1, -2, 3e300}, {3}, "a.txt"), "0.1\n-2\n3e+300\n");
  EXPECT_EQ(text(Ints{1, 2, 3, 4, 5, 6}, {2, 3}, "b"), "1 2 3\n4 5 6\n");
  EXPECT_EQ(text(Floats{0.1F, 16777216}, {2}, "a.mtx"), array_banner + "2 1\n0.1\n16777216\n");
  EXPECT_EQ(text(Ints{1, 2, 3, 4}, {2, 2}, "b.mtx"),
            "%%MatrixMarket matrix array integer general\n2 2\n1\n3\n2\n4\n");
  text(Doubles{1, 2, 3}, {3}, "a.npy");
  EXPECT_EQ(read_vector(path("a.npy")), Vector(Doubles{1, 2, 3}));
  EXPECT_EQ(text(Doubles{-NAN}, {1}, "no_sign"), "nan\n");
  EXPECT_EQ(text(Doubles{-NAN}, {1}, "no_sign.mtx"), array_banner + "1 1\nnan\n");
  EXPECT_EQ(text(Ints{}, {0}, "empty.txt"), "");
}

// Arrays that we write, we can read.
TEST_F(ArrayFile, WritesArraysWithoutElements) {
  EXPECT_EQ(text(Ints{}, {0}, "empty.mtx"), "%%MatrixMarket matrix array integer general\n0 1\n");
  EXPECT_EQ(read_vector(path("empty.mtx")), Vector(Ints{}));
  text(Doubles{}, {std::int64_t{1} << 31, 0}, "tall.mtx");
  EXPECT_EQ(read_dense_matrix<double>(path("tall.mtx")).rows, std::int64_t{1} << 31);
}

}  // namespace
}  // namespace bombard
