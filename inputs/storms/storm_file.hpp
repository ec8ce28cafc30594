#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bombard/read_storm.hpp"
#include "inputs/input_file.hpp"
#include "inputs/output_file.hpp"

namespace bombard {

/// A format of storm files, a row of the table in storm_file.cpp (docs/formats.md). Its functions
/// throw InputError with the file and the line or row. The caller has checked that there is memory
/// for the announced impacts.
struct StormFormat {
  std::string_view word;  ///< of `bombard generate --format`, and the ending there (text: txt)
  /// Whether a file that begins like this has the format. The first row that says yes reads the
  /// file.
  bool (*begins)(const InputFile& begun);
  /// The number of impacts that the file announces, but no more than a file of this size can hold.
  std::int64_t (*announced)(const InputFile& file);
  std::vector<Impact> (*read)(const InputFile& file, std::int64_t announced);
  void (*write)(std::span<const Impact> impacts, OutputFile& file);
};

std::span<const StormFormat* const> storm_formats();
extern const StormFormat storm_csv, storm_npy, storm_text;

/// What read_storm() will have to read: the number of impacts that a storm's file announces. 0 if
/// the file does not begin as a storm does: read_storm() will say why. Nothing if the file has no
/// size (a pipe, standard input, an empty file) or does not exist: only read_storm() can tell.
std::optional<std::int64_t> announced_impacts_of_file(const std::string& path);

/// Writes a storm beside `path` and renames the file: a reader never sees half a file.
void write_storm(const Storm& storm, const std::string& path,
                 const StormFormat& format = storm_text);

}  // namespace bombard
