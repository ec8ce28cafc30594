#pragma once

#include <sys/types.h>

#include <string>

#include "inputs/descriptor.hpp"

namespace bombard {

/// A new file in a directory, `.bombard-N.partial`, until it gets its name. Destroyed without one,
/// it is removed, and so it is by remove_partial_files(). A partial file of a killed program is
/// removed by the next one that writes into the directory: every partial file is locked (flock)
/// while its program lives. Members throw std::system_error.
class PartialFile {
 public:
  explicit PartialFile(const std::string& directory);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_.number(); }

  /// Owner, group and permissions of an older file as far as this process may give them, without
  /// its set-user-ID and set-group-ID bits.
  void take_access_from(uid_t owner, gid_t group, mode_t mode) const;

  /// Puts the file where `target` is, once its bytes are on the disk. Once.
  void rename_to(const std::string& target);

 private:
  std::string path_;
  Descriptor descriptor_;
};

/// Removes all partial files of this process; for signal handlers.
void remove_partial_files() noexcept;

}  // namespace bombard
