#include "inputs/npy.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "bombard/read_storm.hpp"
#include "inputs/array_file.hpp"
#include "inputs/storms/storm_file.hpp"
#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

using namespace std::string_literals;

/// A file of version 1.0 with this header, padded with blanks, and these bytes behind it.
std::string npy(std::string header, const std::string& data = "") {
  while ((10 + header.size() + 1) % 16 != 0) header += ' ';
  const std::size_t size = header.size() + 1;
  return "\x93NUMPY\x01\x00"s + static_cast<char>(size % 256) + static_cast<char>(size / 256) +
         header + "\n" + data;
}

template <class T>
std::string bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string header_of(const std::string& type, const std::string& shape,
                      const std::string& order = "False") {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, order, shape);
}

void read_array(const std::string& content) {
  const InputFile file("a", content);
  static_cast<void>(NpyArray(file).values());
}

class NpyWriting : public TemporaryDirectory {};

// The fuzz target npy tests how they are read.
TEST_F(NpyWriting, LeavesArraysAsNumPyDoes) {
  const auto written = [&](const Elements& values, const std::vector<std::int64_t>& shape) {
    return content_of(
        written_by("a.npy", [&](OutputFile& file) { write_npy(values, shape, file); }));
  };
  using Limits = std::numeric_limits<float>;
  std::vector<float> floats{Limits::quiet_NaN(), -Limits::infinity(), Limits::denorm_min(), -0.0F};
  floats.resize(100'003, 3.1415927F);
  // 128 bytes before the data: magic, version 1.0, 118 more bytes of header, padded with blanks.
  std::string header = header_of("<f4", "(100003,)");
  header.resize(117, ' ');
  EXPECT_TRUE(written(floats, {100'003}) == npy(header, bytes(floats)));
  EXPECT_EQ(written(std::vector<float>{}, {0}).size(), 128U);
  const std::vector<std::int32_t> integers{1, 2, 3, 4, 5, 6};
  header = header_of("<i4", "(1, 2, 3)");
  header.resize(117, ' ');
  EXPECT_EQ(written(integers, {1, 2, 3}), npy(header, bytes(integers)));
}

TEST(NpyReading, RejectsWhatIsNoArray) {
  const std::string no_array =
      "is not a .npy file: it must begin with \\x93NUMPY, a version and the length of its header";
  expect_refused(
      read_array,
      {{"1 2 3\n", no_array},
       {"\x93NUMPY\x01\x00\x40"s, no_array},
       {"\x93NUMPY\x02\x00\x40\0\0"s, no_array},
       {"\x93NUMPY\x04\x01\x01\0\0\0\n"s, "is a .npy file of version 4.1; 1.0 to 3.0 are read"},
       {"\x93NUMPY\x01\x00\x40\x00{'descr'"s,
        "the header of this .npy file takes 64 bytes but only 8 are left: the file is truncated"}},
      "a: ");
}

TEST(NpyReading, RejectsDamagedHeaders) {
  for (const auto& [header, problem] :
       tests::Refusals{{"", "lacks \"'descr': '\""},
                       {"{'descr': '<i4', 'shape': (1,)}", "lacks \"'fortran_order': \""},
                       {"{'descr': '<i4', 'fortran_order': False, }", "lacks \"'shape': (\""},
                       {"{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}",
                        "lacks \"'descr': '\""},
                       {header_of("<i4", "(-0,)"), "has the size \"-0\""},
                       {header_of("<i4", "(99999999999999999999,)"),
                        "has the size \"99999999999999999999\""}}) {
    expect_refused(read_array,
                   {{npy(header), problem + "; arrays of numbers are read, as "
                                            "numpy.save(FILE, numpy.array(VALUES)) writes "
                                            "them"}},
                   "a: the header of this .npy file ");
  }
}

TEST(NpyReading, RejectsOtherArrays) {
  const auto follow = [](const std::string& is, int bytes) {
    return fmt::format("is {} bytes each, but {} bytes follow its header: the file is damaged", is,
                       bytes);
  };
  const std::string types =
      "; little-endian int32 (<i4), int64 (<i8), float32 (<f4) and float64 (<f8) are read: save "
      "a.astype(\"<f8\"), for example";
  const std::string two_by_three = header_of("<i4", "(2, 3)");
  expect_refused(
      read_array,
      {{npy(header_of("<u8", "(0,)")), "has elements of type \"<u8\"" + types},
       {npy(header_of(">f8", "(0,)")), "has elements of type \">f8\"" + types},
       {npy(header_of("<i4", "(0, 3)", "True")),
        "is in Fortran order; save numpy.ascontiguousarray(a)"},
       {npy(header_of("<i4", "()")), "has 0 dimensions; arrays of 1 to 3 are read"},
       {npy(header_of("<i4", "(0, 1, 1, 1)")), "has 4 dimensions; arrays of 1 to 3 are read"},
       {npy(two_by_three, std::string(23, 'x')), follow("2 x 3 of 4", 23)},
       {npy(two_by_three, std::string(28, 'x')), follow("2 x 3 of 4", 28)},
       {npy(header_of("<f8", "(4294967296, 4294967296, 4294967296)")),
        follow("4294967296 x 4294967296 x 4294967296 of 8", 0)},
       {npy(header_of("<f8", "(2305843009213693952,)")), follow("2305843009213693952 of 8", 0)}},
      "a: this .npy array ");
}

TEST(NpyReading, TakesNumPysOwnIntegersWhereNoneIsLost) {
  const auto file = [](const std::vector<std::int64_t>& values, const std::string& shape) {
    return npy(header_of("<i8", shape), bytes(values));
  };
  const InputFile vector("a", file({1, -2, 2147483647}, "(3,)"));
  EXPECT_EQ(read_vector(vector), Vector(std::vector<std::int32_t>{1, -2, 2147483647}));
  EXPECT_EQ(read_vector_as<float>(vector), (std::vector<float>{1, -2, 2147483648.0F}));
  const InputFile matrix("a", file({1, 2147483648}, "(1, 2)"));
  EXPECT_EQ(read_vector(matrix), Vector(std::vector<double>{1, 2147483648.0}));
  EXPECT_EQ(std::get<DenseMatrix<double>>(read_matrix<double>(matrix)).values,
            (std::vector<double>{1, 2147483648.0}));
  for (const std::int64_t lost : {9007199254740993, std::numeric_limits<std::int64_t>::max()}) {
    const InputFile a("a", file({1, lost}, "(1, 2)"));
    const std::string message =
        fmt::format("a: element 2 is {}, more digits than a 64-bit float holds", lost);
    EXPECT_EQ(tests::message_of([&] { read_vector(a); }), message);
    EXPECT_EQ(tests::message_of([&] { read_vector_as<float>(a); }), message);
    EXPECT_EQ(tests::message_of([&] { read_matrix<double>(a); }), message);
  }
}

class NpyStorm : public TemporaryDirectory {
 protected:
  std::vector<Impact> read(const std::string& header, const std::string& data) const {
    return read_storm(written("a", npy(header, data))).impacts;
  }
};

TEST_F(NpyStorm, IsWrittenInTheSmallestType) {
  for (const auto& [position, type] : {std::pair(-2147483648LL, "<i4"), {2147483648LL, "<i8"}}) {
    write_storm({"", {{position, 2147483647}}}, path("a"), storm_npy);
    EXPECT_EQ(read_storm(path("a")).impacts, (std::vector<Impact>{{position, 2147483647}}));
    EXPECT_TRUE(tests::contains(content("a"), fmt::format("'descr': '{}'", type)));
  }
}

TEST_F(NpyStorm, HoldsWholeNumbersOnly) {
  const std::vector<double> fraction{1, 2, 0.5, 3}, no_number{1, std::nan("")};
  EXPECT_EQ(rejection([&] { read(header_of("<f8", "(2, 2)"), bytes(fraction)); }),
            "a: row 1: position 0.5 is not a whole number from -2305843009213693952 to "
            "2305843009213693952");
  EXPECT_EQ(rejection([&] { read(header_of("<f8", "(1, 2)"), bytes(no_number)); }),
            "a: row 0: energy nan is not a whole number from -2147483648 to 2147483647");
  EXPECT_EQ(rejection([&] { read(header_of("<i4", "(2, 3)"), std::string(24, '\0')); }),
            "a: this array is 2 x 3; a storm is P x 2: positions and energies");
}

}  // namespace
}  // namespace bombard
