// Files that are often given by mistake instead of those that are read.

#include "inputs/input_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/inputs/temporary_directory.hpp"
#include "tests/text.hpp"

namespace bombard {
namespace {

using namespace std::string_literals;

class ForeignFormat : public TemporaryDirectory {};

TEST_F(ForeignFormat, IsNamedWithItsRemedy) {
  tests::expect_messages(
      {{"\x1F\x8B\x08\x00rest"s,
        "is compressed (gzip); give what `gzip -dc` makes of it, through a pipe and -"},
       {"PK\x03\x04rest",
        "is an archive (zip, perhaps .npz); give the files in it, unpacked by `unzip`"},
       {"\xFF\xFE"
        "1\0"s,
        "is text in UTF-16; convert it: `iconv -f UTF-16 -t UTF-8`"},
       {"\x28\xB5\x2F\xFDrest",
        "is compressed (zstd); give what `zstd -dc` makes of it, through a pipe and -"},
       {"\0\0\0"s,
        "begins with a zero byte, as no text and no array does; write the file again: the program "
        "that wrote it may have been stopped halfway"}},
      [&](const std::string& content) {
        return rejection([&] { InputFile(written("a", content)); });
      },
      "a: ");
  for (const std::string content : {"", "3\n1 2\n", "\x93NUMPY"}) {
    EXPECT_EQ(InputFile(written("a", content)).content(), content);
  }
}

}  // namespace
}  // namespace bombard
