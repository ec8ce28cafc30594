#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/judge/cases.hpp"

namespace bombard::judge {

/// Removes a directory. Those in it may be locked, and nested deeper than a path can be long.
void remove_tree(const std::string& root);

/// The directory for temporary files: $TMPDIR, and /tmp where that is not set or empty; absolute.
std::string temporary_directory();

/// Throws InputError where the directory is on a file system that is mounted noexec.
void require_programs_start_in(const std::string& directory);

/// Copies what is in a folder into another one; pipes, sockets and devices stay behind. Throws
/// filesystem_error.
void copy_folder(const std::string& from, const std::string& to);

/// An empty directory, removed with the object, whatever a program has made of it.
class ScratchDirectory {
 public:
  /// Throws InputError when the directory for temporary files ($TMPDIR, /tmp) cannot be written.
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }
  /// Makes a folder in it.
  std::string folder(const std::string& name) const;

 private:
  std::string path_;
};

/// Writes the storms of a case into a directory, and returns the paths of their files.
std::vector<std::string> write_storms(const Case& tried, const std::string& directory);

/// Bytes of the files below a directory, counted until they exceed `enough`; a file counts as 4096
/// bytes at least, so that many small ones come to something.
std::int64_t bytes_below(const std::string& directory, std::int64_t enough);

/// "storm_07.txt": numbers of equal width, so that a shell lists the files in their order.
std::string storm_file_name(std::size_t number, std::size_t storms);

}  // namespace bombard::judge
