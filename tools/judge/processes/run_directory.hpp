#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/judge/cases.hpp"

namespace bombard::judge {

/// Removes a directory. Directories in it may be locked, and nested deeper than a path can be long.
void remove_tree(const std::string& root);

/// The directory for temporary files: $TMPDIR, or /tmp if that is not set or empty; absolute.
std::string temporary_directory();

/// Whether programs in it can be started: its file system is not mounted noexec.
bool starts_programs(const std::string& directory);

/// A directory with an empty folder to work in, under a name that nobody can guess. It is removed
/// with the object, whatever a program has made of it.
class ScratchDirectory {
 public:
  /// In the directory for temporary files ($TMPDIR, /tmp). Throws InputError if that is not
  /// writable.
  ScratchDirectory();
  /// In the path of another one, its root; `name` is the beginning of its own.
  explicit ScratchDirectory(const std::string& root, const std::string& name = "");
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string work() const { return path_ + "/work"; }
  const std::string& root() const { return root_; }

 private:
  std::string path_, root_;
};

/// Writes the storms of a case into a directory, and returns the paths of their files.
std::vector<std::string> write_storms(const Case& tried, const std::string& directory);

/// Bytes of the files below a directory, counted until they exceed `enough`; a file counts as at
/// least 4096 bytes, so that many small ones matter.
std::int64_t bytes_below(const std::string& directory, std::int64_t enough);

/// "storm_07.txt": numbers of equal width, so that a shell lists the files in order.
std::string storm_file_name(std::size_t number, std::size_t storms);

}  // namespace bombard::judge
