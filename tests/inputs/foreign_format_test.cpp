// Files that often come in place of those that are read.

#include "inputs/foreign_format.hpp"

#include <gtest/gtest.h>

#include <string>

#include "inputs/array_file.hpp"
#include "inputs/matrix_set.hpp"
#include "inputs/storms/storm_file.hpp"
#include "tests/inputs/temporary_directory.hpp"
#include "tests/text.hpp"

namespace bombard {
namespace {

using namespace std::string_literals;

class ForeignFormat : public TemporaryDirectory {};

TEST_F(ForeignFormat, IsNamedWithItsRemedyByEveryReader) {
  const std::string gzip = written("a.gz", "\x1F\x8B\x08\x00rest"s);
  const std::string message =
      "a.gz: is compressed (gzip); give what `gzip -dc` makes of it, through a pipe and -";
  EXPECT_EQ(rejection([&] { StormFile{gzip}; }), message);
  EXPECT_EQ(rejection([&] { read_vector(gzip); }), message);
  EXPECT_EQ(rejection([&] { read_vector_as<float>(gzip); }), message);
  EXPECT_EQ(rejection([&] { read_matrix<double>(gzip); }), message);
  EXPECT_EQ(rejection([&] { read_dense_matrix<double>(gzip); }), message);
  EXPECT_EQ(rejection([&] { MatrixSet{MappedFile(gzip)}; }), message);
}

TEST_F(ForeignFormat, IsRefusedAtOnceWhereAFileHasNoEnd) {
  EXPECT_TRUE(
      tests::contains(rejection([] { MappedFile("/dev/zero"); }), "begins with a zero byte"));
  EXPECT_TRUE(
      tests::contains(rejection([] { StormFile("/dev/zero").read(); }), "begins with a zero"));
}

TEST_F(ForeignFormat, HasManyKinds) {
  const auto of = [&](const std::string& content) {
    return rejection([&] { reject_foreign_format(content, "a"); });
  };
  EXPECT_TRUE(of("PK\x03\x04rest").starts_with("a: is an archive (zip, perhaps .npz); "));
  EXPECT_TRUE(of("\xFF\xFE"
                 "1\0"s)
                  .starts_with("a: is text in UTF-16; convert it: `iconv "));
  EXPECT_TRUE(of("\x28\xB5\x2F\xFDrest").starts_with("a: is compressed (zstd)"));
  EXPECT_TRUE(of("\0\0\0"s).starts_with("a: begins with a zero byte"));
  EXPECT_EQ(of(""), "no error");
  EXPECT_EQ(of("3\n1 2\n"), "no error");
  EXPECT_EQ(of("\x93NUMPY"), "no error");
}

}  // namespace
}  // namespace bombard
