#include "inputs/foreign_format.hpp"

#include <fmt/format.h>

#include "bombard/errors.hpp"

namespace bombard {

namespace {

using namespace std::string_view_literals;

struct ForeignFormat {
  std::string_view begins;
  const char* is;
  const char* remedy;
};

constexpr ForeignFormat formats[] = {
    {"\x1F\x8B"sv, "is compressed (gzip)",
     "give what `gzip -dc` makes of it, through a pipe and -"},
    {"\xFD\x37zXZ\0"sv, "is compressed (xz)",
     "give what `xz -dc` makes of it, through a pipe and -"},
    {"\x28\xB5\x2F\xFD"sv, "is compressed (zstd)",
     "give what `zstd -dc` makes of it, through a pipe and -"},
    {"BZh"sv, "is compressed (bzip2)", "give what `bzip2 -dc` makes of it, through a pipe and -"},
    {"PK\x03\x04"sv, "is an archive (zip, perhaps .npz)",
     "give the files in it, unpacked by `unzip`"},
    {"\xFF\xFE"sv, "is text in UTF-16", "convert it: `iconv -f UTF-16 -t UTF-8`"},
    {"\xFE\xFF"sv, "is text in UTF-16", "convert it: `iconv -f UTF-16 -t UTF-8`"},
    {"\0"sv, "begins with a zero byte, as no text and no array does",
     "write the file again: who made it was perhaps ended on the way"},
};

}  // namespace

void reject_foreign_format(std::string_view content, const std::string& name) {
  for (const ForeignFormat& format : formats) {
    if (content.starts_with(format.begins)) {
      throw InputError(fmt::format("{}: {}; {}", name, format.is, format.remedy));
    }
  }
}

}  // namespace bombard
