#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/judge/cases.hpp"

namespace bombard::judge {

/// What a run of a program has of the disk: a case's storms, and an empty directory to work in. All
/// of it is removed with the object, whatever the program has made of it.
class RunDirectory {
 public:
  /// Throws InputError when the directory for temporary files ($TMPDIR, /tmp) cannot be written.
  explicit RunDirectory(const Case& tried);
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  const std::vector<std::string>& storms() const { return storms_; }
  std::string work() const { return path_ + "/work"; }

 private:
  RunDirectory();  ///< an empty one: what comes after it may throw

  std::string path_;
  std::vector<std::string> storms_;
};

/// Bytes of the files below a directory, counted until they exceed `enough`; a file counts as 4096
/// bytes at least, so that many small ones come to something.
std::int64_t bytes_below(const std::string& directory, std::int64_t enough);

/// "storm_07.txt": numbers of equal width, so that a shell lists the files in their order.
std::string storm_file_name(std::size_t number, std::size_t storms);

}  // namespace bombard::judge
