#pragma once

#include <string>

#include "bombard/errors.hpp"
#include "bombard/storm.hpp"

namespace bombard {

/// Reads a storm file of any format (docs/formats.md); "-" is standard input. Throws
/// InputError with file and line for anything that is not a storm.
[[gnu::visibility("default")]] Storm read_storm(const std::string& path);

}  // namespace bombard
