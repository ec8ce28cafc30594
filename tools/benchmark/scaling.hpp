#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/table.hpp"

namespace bombard {

/// How the time of a storm grows.
struct Scaling {
  /// A row a timing, in milliseconds, and how many copies of a layer in binary64 that is.
  Table table{{}};
  /// Fitted exponents, and what was left out and why: sentences.
  std::vector<std::string> notes;
  bool valid = true;  ///< every maximum that was timed is right
};

/// A study by its name; nothing for a name that is none. Every engine that takes part is timed as
/// far as memory, patience and, in single precision, what can be proved allow; with a GPU also the
/// convolution alone, impacts on the device.
///
/// cells: from 1e4 to 1e10, at 1000 random impacts. impacts: from 1 to 3e9, at 1e4 and at 1e6
/// cells. both: as many cells as impacts, from 1e4 to 1e9. All three of the fast method, beside
/// copies. methods: over cells, from 1e3 to 1e15, at 100 impacts, by the processor's engines in
/// single precision, also those that do all the arithmetic, and those that store no layer. sparse:
/// over cells, from 1e6 to 1e15, at 1000 impacts, and over impacts, from 1 to 1e6, on 1e15 cells,
/// by the engines that store no layer.
std::optional<Scaling> scaling(std::string_view study, bool with_device);

}  // namespace bombard
