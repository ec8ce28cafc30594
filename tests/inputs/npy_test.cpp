#include "inputs/npy.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "bombard/read_storm.hpp"
#include "inputs/array_file.hpp"
#include "inputs/matrix_set.hpp"
#include "inputs/storms/storm_file.hpp"
#include "tests/inputs/temporary_directory.hpp"

namespace bombard {
namespace {

using namespace std::string_literals;

/// A file of version 1.0 with this header (padded by `padding` blanks) and these bytes behind it.
std::string npy(const std::string& header, const std::string& data, std::size_t padding = 0) {
  const std::string padded = header + std::string(padding, ' ') + "\n";
  return "\x93NUMPY\x01\x00"s + static_cast<char>(padded.size() % 256) +
         static_cast<char>(padded.size() / 256) + padded + data;
}

template <class T>
std::string bytes(const std::vector<T>& values) {
  std::string raw(values.size() * sizeof(T), '\0');
  std::memcpy(raw.data(), values.data(), raw.size());
  return raw;
}

std::string header_of(const std::string& type, const std::string& shape,
                      const std::string& order = "False") {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, order, shape);
}
const std::string six_ints = header_of("<i4", "(2, 3)");

class NpyReading : public TemporaryDirectory {
 protected:
  template <class T>
  std::vector<T> values(const std::string& file_bytes) const {
    const MappedFile file(written("a.npy", file_bytes));
    const NpyArray array(file);
    const auto elements = std::get<std::span<const T>>(array.values());
    return {elements.begin(), elements.end()};
  }
  std::vector<std::int64_t> shape(const std::string& file_bytes) const {
    const MappedFile file(written("a.npy", file_bytes));
    return NpyArray(file).shape();
  }
  /// Files, each with the message with which it is rejected, behind its name.
  void expect_rejections(const tests::Refusals& files) const {
    const auto message = [&](const std::string& file) { return rejection([&] { shape(file); }); };
    tests::expect_messages(files, message, "a.npy: ");
  }
};

TEST_F(NpyReading, ReadsWhatItWrites) {
  const auto write = [&]<class T>(const std::vector<T>& values, std::vector<std::int64_t> shape) {
    written_by("b.npy", [&](OutputFile& file) { write_npy(values, shape, file); });
  };
  using Limits = std::numeric_limits<float>;
  std::vector<float> floats{Limits::quiet_NaN(), -Limits::infinity(), Limits::denorm_min(), -0.0F};
  floats.resize(100'003, 3.1415927F);
  write(floats, {100'003});
  // 128 bytes before the data: magic, version 1.0, 118 more bytes of header, padded with blanks.
  const std::string header = header_of("<f4", "(100003,)");
  EXPECT_TRUE(content("b.npy") == "\x93NUMPY\x01\0v\0"s + header +
                                      std::string(117 - header.size(), ' ') + "\n" + bytes(floats));
  write(std::vector<float>{}, {0});
  EXPECT_EQ(content("b.npy").size(), 128U);
  const std::vector<std::int32_t> ints{1, 2, 3, 4, 5, 6};
  write(ints, {1, 2, 3});
  EXPECT_EQ(content("b.npy").substr(10, 59),
            "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2, 3)");
  EXPECT_EQ(content("b.npy").size(), 128 + 24u);
  EXPECT_EQ(values<std::int32_t>(content("b.npy")), ints);
  EXPECT_EQ(shape(content("b.npy")), (std::vector<std::int64_t>{1, 2, 3}));
  const std::int64_t large = std::int64_t{1} << 32;  // no bytes, whatever the other dimensions are
  EXPECT_EQ(shape(npy(header_of("<f8", "(4294967296, 4294967296, 0)"), "")),
            (std::vector<std::int64_t>{large, large, 0}));
}

TEST_F(NpyReading, RejectsWhatIsNoArray) {
  const std::string no_array =
      "is not a .npy file: it must begin with \\x93NUMPY, a version and the length of its header";
  expect_rejections(
      {{"", no_array},
       {"1 2 3\n", no_array},
       {"\x93NUMPY\x01\x00\x40"s, no_array},
       {"\x93NUMPY\x02\x00\x40\0\0"s, no_array},
       {"\x93NUMPY\x04\x01\x01\0\0\0\n"s, "is a .npy file of version 4.1; 1.0 to 3.0 are read"},
       {"\x93NUMPY\x01\x00\x40\x00{'descr'"s,
        "the header of this .npy file takes 64 bytes but only 8 are left: the file is truncated"}});
}

TEST_F(NpyReading, RejectsDamagedHeaders) {
  for (const auto& [header, problem] :
       tests::Refusals{{"", "has \"\" where '{' must be"},
                       {"{}", "lacks descr, fortran_order or shape"},
                       {"{'descr': '<i4'", "has \"\" where '}' must be"},
                       {"{'descr' '<i4'}", "has \"'<i4'}\" where ':' must be"},
                       {"{'descr': 3, 'fortran_order': False, 'shape': (1,)}",
                        "has \"3,\" where a text in quotes must be"},
                       {"{'descr': [('a', [('b', '<i4')])], 'fortran_order': False, 'shape': (1,)}",
                        "has \"[('b',\" where a text in quotes must be"},
                       {"{'descr': [('a', '<i4', (2,))], 'fortran_order': False, 'shape': (1,)}",
                        "has \",\" where ')' must be"},
                       {header_of("<i4", "(1,)", "0"), "has \"0,\" where True or False must be"},
                       {header_of("<i4", "(-1,)"), "has \"-1,),\" where a dimension must be"},
                       {header_of("<i4", "(-0,)"), "has \"-0,),\" where a dimension must be"},
                       {header_of("<i4", "(99999999999999999999,)"),
                        "has \"99999999999999999999...\" where a dimension must be"},
                       {"{'descr': '<i4', 'descr': '<i4'}",
                        "has \"descr\" where descr, fortran_order or shape must be"},
                       {six_ints + " 7", "has \"7\\x0a\" after the end"}}) {
    expect_rejections({{npy(header, ""), "the header of this .npy file " + problem +
                                             "; arrays of numbers are read, as numpy.save(FILE, "
                                             "numpy.array(VALUES)) writes them"}});
  }
}

TEST_F(NpyReading, ReadsNumPysOwnIntegers) {
  const auto int64s = [&](const std::vector<std::int64_t>& values, const std::string& shape) {
    return written("a.npy", npy(header_of("<i8", shape), bytes(values)));
  };
  const std::string vector = int64s({1, -2, 2147483647}, "(3,)");
  EXPECT_EQ(read_vector(vector), Vector(std::vector<std::int32_t>{1, -2, 2147483647}));
  EXPECT_EQ(read_vector_as<float>(vector), (std::vector<float>{1, -2, 2147483648.0F}));
  EXPECT_EQ(read_vector(int64s({1, 2147483648}, "(2,)")),
            Vector(std::vector<double>{1, 2147483648.0}));
  for (const std::int64_t lost : {9007199254740993, std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(
        rejection([&] {
          read_vector(int64s({1, lost}, "(2,)"));
        }),
        "a.npy: element 2 is " + std::to_string(lost) + ", more digits than a 64-bit float holds");
  }
  EXPECT_EQ(std::get<DenseMatrix<double>>(read_matrix<double>(int64s({1, 2}, "(1, 2)"))).values,
            (std::vector<double>{1, 2}));
  EXPECT_TRUE(rejection([&] {
                const MappedFile file(int64s(std::vector<std::int64_t>(9), "(1, 3, 3)"));
                MatrixSet{file};
              }).starts_with("a.npy: the elements of this set are int64; "));
}

TEST_F(NpyReading, KeepsIntegersInMatricesAndVectorsOfFloats) {
  const std::string lost = bytes(std::vector<std::int64_t>{1, 9007199254740993});
  const std::string file = written("a.npy", npy(header_of("<i8", "(1, 2)"), lost));
  const std::string message =
      "a.npy: element 2 is 9007199254740993, more digits than a 64-bit float holds";
  EXPECT_EQ(rejection([&] { read_matrix<double>(file); }), message);
  EXPECT_EQ(rejection([&] { read_dense_matrix<float>(file); }), message);
  EXPECT_EQ(rejection([&] { read_vector_as<double>(file); }), message);
}

TEST_F(NpyReading, RejectsRecords) {
  expect_rejections(
      {{npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (0,)}", ""),
        "this .npy array has records of named fields; save one of the fields, a[NAME], or all as "
        "rows of an array of two dimensions"}});
}

TEST_F(NpyReading, RejectsOtherTypesOrdersAndDimensions) {
  for (const std::string type : {"<u8", ">f8", "|b1", "<c16", "<U3"}) {
    expect_rejections(
        {{npy(header_of(type, "(0,)"), ""),
          "this .npy array has elements of type \"" + type +
              "\"; little-endian int32 (<i4), int64 (<i8), float32 (<f4) and float64 (<f8) are "
              "read: save a.astype(\"<f8\"), for example"}});
  }
  expect_rejections({{npy(header_of("<i4", "(0, 3)", "True"), ""),
                      "this .npy array is in Fortran order; save numpy.ascontiguousarray(a)"},
                     {npy(header_of("<i4", "()"), ""),
                      "this .npy array has 0 dimensions; arrays of 1 to 3 are read"},
                     {npy(header_of("<i4", "(0, 1, 1, 1)"), ""),
                      "this .npy array has 4 dimensions; arrays of 1 to 3 are read"}});
}

TEST_F(NpyReading, RejectsAShapeThatTheSizeContradicts) {
  const auto follow = [](const std::string& is, int bytes) {
    return fmt::format(
        "this .npy array is {} bytes each, but {} bytes follow its header: the file is damaged", is,
        bytes);
  };
  expect_rejections({{npy(six_ints, std::string(23, 'x')), follow("2 x 3 of 4", 23)},
                     {npy(six_ints, std::string(28, 'x')), follow("2 x 3 of 4", 28)},
                     {npy(header_of("<f8", "(4294967296, 4294967296, 4294967296)"), ""),
                      follow("4294967296 x 4294967296 x 4294967296 of 8", 0)},
                     {npy(header_of("<f8", "(2305843009213693952,)"), ""),
                      follow("2305843009213693952 of 8", 0)}});
}

class NpyStorm : public TemporaryDirectory {
 protected:
  std::string storm(const std::string& type, const std::string& data, std::size_t rows) const {
    return written("s.npy", npy(header_of(type, fmt::format("({}, 2)", rows)), data));
  }
};

TEST_F(NpyStorm, GivesBackWhatWasWritten) {
  const auto given_back = [&](const std::vector<Impact>& impacts) {
    write_storm({"", impacts}, path("b.npy"), storm_npy);
    return read_storm(path("b.npy")).impacts;
  };
  const std::vector<Impact> small{{2147483647, -2147483647 - 1}, {-2147483648, 2147483647}};
  EXPECT_EQ(given_back(small), small);
  EXPECT_EQ(content("b.npy").substr(10, 15), "{'descr': '<i4'");
  const std::vector<Impact> large{{2147483648, 1}, {-9007199254740993, 2147483647}};
  EXPECT_EQ(given_back(large), large);
  EXPECT_EQ(content("b.npy").substr(10, 15), "{'descr': '<i8'");
  EXPECT_EQ(given_back({}), std::vector<Impact>{});
}

TEST_F(NpyStorm, HoldsWholeNumbersOnly) {
  const std::string positions =
      " is not a whole number from -2305843009213693952 to 2305843009213693952";
  const std::string energies = " is not a whole number from -2147483648 to 2147483647";
  for (const auto& [values, message] : std::vector<std::pair<std::vector<double>, std::string>>{
           {{1, 2, 0.5, 3}, "row 1: position 0.5" + positions},
           {{1, 2147483648.0}, "row 0: energy 2147483648" + energies},
           {{1, std::nan("")}, "row 0: energy nan" + energies},
           {{-INFINITY, 1}, "row 0: position -inf" + positions}}) {
    const std::string file = storm("<f8", bytes(values), values.size() / 2);
    EXPECT_EQ(rejection([&] { read_storm(file); }), "s.npy: " + message);
  }
  // The first row is reported, whichever of its numbers is wrong.
  const std::string two = storm("<f8", bytes(std::vector<double>{1, 0.5, 0.5, 1}), 2);
  EXPECT_EQ(rejection([&] { read_storm(two); }), "s.npy: row 0: energy 0.5" + energies);
  EXPECT_EQ(
      rejection([&] { read_storm(written("s.npy", npy(six_ints, bytes(std::vector<float>(6))))); }),
      "s.npy: this array is 2 x 3; a storm is P x 2: positions and energies");
}

// As numpy.save() writes what bombard.generate() and DataFrame.to_records(index=False) give.
TEST_F(NpyStorm, MayBeRecordsOfTheTwoNames) {
  const auto records = [&](const std::string& fields, const std::string& data,
                           const std::string& shape = "(1,)") {
    return written(
        "s.npy",
        npy("{'descr': [" + fields + "], 'fortran_order': False, 'shape': " + shape + ", }", data));
  };
  const std::string position = "('position', '<i8')", energy = "('energy', '<i4')";
  const std::string first = bytes(std::vector<std::int64_t>{-7});
  const std::string second = bytes(std::vector<std::int32_t>{12});
  const std::vector<Impact> one{{-7, 12}};
  EXPECT_EQ(read_storm(records(position + ", " + energy + ", ('', '|V4')", first + second + "gap!"))
                .impacts,
            one);
  EXPECT_EQ(read_storm(records(energy + ", " + position, second + first)).impacts, one);
  const std::string others =
      "; a storm of records has one dimension and the fields position and energy alone";
  for (const auto& row : std::vector<std::array<std::string, 3>>{
           {position + ", ('index', '<i4')", first + second, "there is a field \"index\""},
           {position + ", " + position, first + first, "\"position\" appears twice"},
           {position + ", ('', '|V4')", first + second, "there is no field \"energy\""}}) {
    EXPECT_EQ(rejection([&] { read_storm(records(row[0], row[1])); }), "s.npy: " + row[2] + others);
  }
  EXPECT_EQ(
      rejection([&] { read_storm(records(position + ", " + energy, first + second, "(1, 1)")); }),
      "s.npy: this array is 1 x 1" + others);
}

}  // namespace
}  // namespace bombard
