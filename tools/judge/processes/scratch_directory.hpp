#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace bombard::judge {

/// Removes a directory. Directories in it may be locked, and nested deeper than a path can be long.
void remove_tree(const std::string& root);

/// The directory for temporary files: $TMPDIR, or /tmp if that is not set or empty; absolute.
std::string temporary_directory();

/// A directory with an empty folder to work in, under a name that nobody can guess. It is removed
/// with the object, whatever a program has made of it.
class ScratchDirectory {
 public:
  /// In the directory for temporary files. Throws InputError if that is not writable.
  ScratchDirectory();
  /// Within another one. Throws InputError if that is gone.
  explicit ScratchDirectory(const ScratchDirectory& outer);
  ~ScratchDirectory() { remove_tree(path_); }
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string work() const { return path_ + "/work"; }
  /// The outermost one that it is in.
  const std::string& root() const { return root_; }
  /// Gives it, and what it is in, the rights that a program may have changed.
  void restore_rights() const;
  /// Bytes of the files in the folder to work in. A file counts as at least 4096 bytes, so that
  /// many small ones matter, and folders nested 200 deep as more than any limit.
  std::int64_t bytes() const;

 private:
  ScratchDirectory(const std::string& parent, const std::string& name);

  std::string path_, root_;
  std::vector<std::pair<std::filesystem::path, std::filesystem::perms>> rights_;  ///< outer first
};

}  // namespace bombard::judge
