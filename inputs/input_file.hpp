#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "inputs/descriptor.hpp"

namespace bombard {

/// A file, or standard input for the path "-", read once from front to back.
/// Every member throws InputError with the path and the reason.
class InputFile {
 public:
  explicit InputFile(const std::string& path);

  /// Fills the buffer; returns the bytes read, fewer than its size only at the end of the file.
  std::size_t read(std::span<char> buffer);

  /// Bytes that a regular file holds at this moment; 0 where the size is unknown (a pipe).
  std::int64_t size() const;

  /// Whether the file can be mapped into memory from its first byte on: a regular file with a size.
  /// Standard input cannot: it may stand somewhere inside its file.
  bool can_be_mapped() const;

  /// Back to the first byte of a file that can be mapped.
  void rewind();

  /// The open file, for mapping it.
  int descriptor() const { return descriptor_.number(); }

  /// The name in messages: the path, or "standard input".
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  bool is_standard_input_;
  Descriptor descriptor_;
};

}  // namespace bombard
