#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "inputs/descriptor.hpp"

namespace bombard {

/// How other processes find a file that one writes (OutputFile::share()). Plain bytes, to be sent.
struct SharedPlace {
  std::array<char, 4096> path = {};     ///< as the user gave it, for messages
  std::array<char, 4096> partial = {};  ///< where the file is until it has its name, from the root
  std::array<char, 16> mark = {};       ///< what it begins with until it is committed
  std::int64_t data_begins_at = 0;      ///< behind the header, in bytes
};

/// A file that another process will put in its place, and into which this one writes bytes at their
/// places. Members throw InputError with the path and the reason.
class SharedFile {
 public:
  /// Some network file systems (NFS) send whole pages: two machines that write different bytes of
  /// one lose what one of them wrote. So what lies in such a block is written by one process.
  static constexpr std::int64_t block_bytes = std::int64_t{1} << 16;  // the largest page of Linux

  /// Nothing where this process does not see the file: it lies on a disk of another machine.
  static std::unique_ptr<SharedFile> find(const SharedPlace& place);

  void write(std::int64_t first_byte, std::string_view bytes);

  /// Returns when the bytes are on the disk. Once, after the last write.
  void close();

 private:
  SharedFile(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;  ///< for messages
  Descriptor file_;
};

}  // namespace bombard
