#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "tests/fuzz/expectation.hpp"

namespace bombard::fuzz {

/// A file that is on no disk, for what is read and written by path.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    expect(descriptor_ >= 0, "a file in memory can be made");
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
  }

  const std::string& path() const { return path_; }

  /// The path of the file, emptied.
  const std::string& emptied() const {
    expect(::ftruncate(descriptor_, 0) == 0 && ::lseek(descriptor_, 0, SEEK_SET) == 0,
           "a file in memory can be emptied");
    return path_;
  }

  /// The path of the file with this content.
  const std::string& holding(std::string_view content) const {
    emptied();
    const ssize_t written = ::pwrite(descriptor_, content.data(), content.size(), 0);
    expect(written == static_cast<ssize_t>(content.size()), "a file in memory can be written");
    return path_;
  }

  std::string content() const {
    std::string bytes(static_cast<std::size_t>(::lseek(descriptor_, 0, SEEK_END)), '\0');
    const ssize_t got = ::pread(descriptor_, bytes.data(), bytes.size(), 0);
    expect(got == static_cast<ssize_t>(bytes.size()), "a file in memory can be read");
    return bytes;
  }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace bombard::fuzz
