#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace bombard {

/// The whole content of a file: mapped into memory where it is a regular file, read into memory
/// where it is not (a pipe) and for the path "-", standard input. Reading a file that is cut short
/// while it is mapped ends in SIGBUS: see name_of_mapped_file_at(). Throws InputError with the path
/// and the reason, also for a file that begins like one that is often given by mistake (compressed
/// files, archives, text with 16 bits per character, zero bytes) and not like any format that is
/// read, and CannotRun before a pipe takes more memory than there is.
class MappedFile {
 public:
  /// Looks at the content that a pipe has given so far, whenever this has doubled. A pipe may have
  /// no end: throws if nothing that follows can make this a file of the format.
  using Look = void (*)(const MappedFile& begun);

  /// A path stands for its file, so that readers take either.
  /// NOLINTNEXTLINE(google-explicit-constructor)
  MappedFile(const std::string& path, Look look = nullptr);
  /// A file of this name that is already in memory: a copy of its content, and nothing after it.
  MappedFile(std::string name, std::string_view content);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// The bytes; the first is aligned for any type.
  std::string_view content() const { return content_; }

  /// The name in messages: the path, or "standard input".
  const std::string& name() const { return name_; }

 private:
  bool map(int descriptor, std::size_t size);
  void read(int descriptor, Look look);
  void make_room(std::size_t size);
  [[noreturn]] void fail(int error) const;

  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };

  std::string name_;
  std::string_view content_;
  std::unique_ptr<char, Free> read_;  ///< holds the content when it is not mapped
};

/// The name of the file that is mapped where this address is, nullptr if there is none; for signal
/// handlers.
const char* name_of_mapped_file_at(const void* address) noexcept;

}  // namespace bombard
