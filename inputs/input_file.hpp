#pragma once

#include <string>
#include <string_view>

namespace bombard {

/// The whole content of a file, read into memory: of a regular file, of a pipe up to its end, and,
/// for the path "-", of standard input. Throws InputError with the path and the reason, also for a
/// file that begins like one that is often given by mistake (compressed files, archives, text with
/// 16 bits per character, zero bytes) and not like any format that is read, and CannotRun before it
/// takes more memory than there is.
class InputFile {
 public:
  /// A path stands for its file, so that readers take either.
  /// NOLINTNEXTLINE(google-explicit-constructor)
  InputFile(const std::string& path);
  /// A file of this name that is already in memory.
  InputFile(std::string name, std::string content);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// The bytes.
  std::string_view content() const { return content_; }

  /// The name in messages: the path, or "standard input".
  const std::string& name() const { return name_; }

 private:
  void read(int descriptor, std::size_t room);
  [[noreturn]] void fail(int error) const;

  std::string name_;
  std::string content_;
};

}  // namespace bombard
