#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bombard/errors.hpp"
#include "inputs/descriptor.hpp"

namespace bombard {

/// A file that appears whole or not at all: written as `.NAME.XXXXXX` beside its path, and renamed
/// by commit(). Destroyed uncommitted, it leaves nothing behind and an older file untouched; a
/// program that is killed may leave the file beside it. An older file's permissions are kept, and
/// its owner and group where the system lets them be. A symbolic link stays one, and what it points
/// at is replaced or made. A device or a pipe is opened as it is; /dev/stdout is standard output,
/// written where it stands.
///
/// Every member throws InputError with the path and the reason: a missing directory, one that may
/// not be written, a full disk, a directory where the file should be. The constructor already finds
/// all but the full disk, so a long computation opens its outputs first.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// The path as it was given.
  const std::string& path() const { return path_; }

  /// Bytes that its disk can still take; nothing if it is not a regular file.
  std::optional<std::int64_t> room() const;

  /// Appends bytes. Buffered: small pieces are cheap.
  void write(std::string_view bytes);

  /// Writes over the first bytes that were written. Only where a file will be renamed: a pipe has
  /// taken them, and standard output may hold others before them.
  bool can_write_over() const { return !beside_.empty(); }
  void write_over(std::string_view bytes);

  /// Puts the file in its place. Call it once, after the last write.
  void commit();

 private:
  void open_as_it_is(bool is_pipe);
  void open_beside(const struct stat* older);
  void empty_buffer();
  void write_directly(std::string_view bytes);
  [[noreturn]] void fail(int error) const;

  std::string path_;    ///< as the user gave it, for messages
  std::string target_;  ///< the file that is replaced
  std::string beside_;  ///< the path of the file beside it; empty where there is none
  Descriptor open_;
  std::string buffer_;
};

/// Writes a file of this text.
void write_whole(const std::string& path, std::string_view text);

/// Makes the directory and those above it unless they are there already; throws InputError with the
/// path and the reason.
void make_directory(const std::string& path);

}  // namespace bombard
