#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bombard/storm.hpp"
#include "inputs/input_file.hpp"

namespace bombard {

/// A storm file, text or NumPy array (docs/formats.md), opened once: it announces the number of its
/// impacts, and it can be read later. read() reads the file that was opened, even when another one
/// has taken its name.
class StormFile {
 public:
  /// Opens the file, or standard input for the path "-", and looks at its beginning where that
  /// takes nothing away from read(). Throws InputError with the path and the reason for a file that
  /// is missing or cannot be opened.
  explicit StormFile(const std::string& path);

  /// The path, or "standard input".
  const std::string& name() const { return file_.name(); }

  /// The number of impacts that the beginning of the file announces, but no more than a file of
  /// this size can hold. 0 when the file does not begin as a storm does: read() will say why.
  /// Nothing for a file that has no size (a pipe, standard input, an empty file): only read()
  /// tells.
  std::optional<std::int64_t> announced_impacts() const { return announced_; }

  /// Reads the storm; once. A text that looks as write_storm() leaves it is read by all cores, any
  /// other text by one. Memory is taken for the impacts, never more than the file's size justifies,
  /// and for the content of a file that cannot be mapped. Throws InputError with file and line for
  /// anything that is not a storm.
  Storm read();

 private:
  InputFile file_;
  std::optional<std::int64_t> announced_;
};

}  // namespace bombard
