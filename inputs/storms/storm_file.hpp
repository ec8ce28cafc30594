#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bombard/read_storm.hpp"

namespace bombard {

// read_storm() takes text and NumPy arrays (docs/formats.md). A text that looks as write_storm()
// leaves it is read by all cores, any other text by one. Memory is taken for the impacts, never
// more than the file's size justifies, and for the content of a file that cannot be mapped.

/// The number of impacts that the beginning of a storm's file announces, but no more than a file of
/// this size can hold. 0 when the file does not begin as a storm does: read_storm() will say why.
/// Nothing for a file that has no size (a pipe, standard input, an empty file) and for none: only
/// read_storm() tells.
std::optional<std::int64_t> announced_impacts_of_file(const std::string& path);

}  // namespace bombard
