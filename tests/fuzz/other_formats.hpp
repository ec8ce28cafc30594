#pragma once

#include <string_view>

namespace bombard::fuzz {

/// Whether a content begins as a format that is no text for readers of vectors and sets: they read
/// it in another way, or say what it is.
inline bool begins_as_another_format(std::string_view content) {
  const std::string_view xz("\xFD\x37zXZ\0", 6);
  const std::string_view begins[] = {"\x93NUMPY",  "%%MatrixMarket",   "\x1F\x8B",
                                     xz,           "\x28\xB5\x2F\xFD", "BZh",
                                     "PK\x03\x04", "\xFF\xFE",         "\xFE\xFF"};
  for (const std::string_view begin : begins) {
    if (content.substr(0, begin.size()) == begin) return true;
  }
  return false;
}

}  // namespace bombard::fuzz
