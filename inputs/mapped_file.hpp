#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "inputs/input_file.hpp"

namespace bombard {

/// The whole content of a file: mapped into memory where it is a regular file, read into memory
/// where it is not (a pipe) and for the path "-", standard input. It need not stay open. A file
/// that is cut short while it is mapped ends in SIGBUS where it is read: name_of_mapped_file_at().
/// Throws InputError with the path and the reason, also for a format that no reader knows
/// (inputs/foreign_format.hpp), and CannotRun before a pipe takes more memory than there is.
class MappedFile {
 public:
  /// A path stands for its file: readers take either. NOLINTNEXTLINE(google-explicit-constructor)
  MappedFile(const std::string& path);
  /// A file that is open already; one that can be mapped is left at its first byte.
  explicit MappedFile(InputFile& file);
  /// A file of this name that is in memory already: a copy of its content, and nothing behind it.
  MappedFile(std::string name, std::string_view content);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// The bytes; the first is aligned for any type.
  std::string_view content() const { return content_; }

  /// The name in messages: the path, or "standard input".
  const std::string& name() const { return name_; }

 private:
  explicit MappedFile(InputFile&& file) : MappedFile(file) {}
  void read(InputFile& file);
  void make_room(std::size_t size);

  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };

  std::string name_;
  std::string_view content_;
  std::unique_ptr<char, Free> read_;  ///< holds the content when it is not mapped
};

/// The name of the file that is mapped where this address is, nullptr if none is; for signal
/// handlers.
const char* name_of_mapped_file_at(const void* address) noexcept;

}  // namespace bombard
