#pragma once

#include <string>
#include <vector>

#include "tools/study/table.hpp"

namespace bombard {

/// How the time of a storm grows in the engines of cost O(cells + impacts).
struct Scaling {
  /// A row a timing, in milliseconds, and how many copies of a layer in binary64 that is.
  tools::Table table{{}};
  /// Fitted exponents, and what was left out and why: sentences.
  std::vector<std::string> notes;
  bool valid = true;  ///< every maximum that was timed is right
};

/// Over cells, from 1e4 to 1e10, at 1000 random impacts; over impacts, from 1 to 3e9, at 1e4 and at
/// 1e6 cells; or over as many cells as impacts, from 1e4 to 1e9: every engine that is there, as far
/// as memory, patience and, in single precision, what can be proved allow. With a GPU also the
/// convolution alone, impacts on the device.
///
/// Of the methods: over cells, from 1e3 to 1e15, at 100 impacts, by the processor's engines in
/// single precision, also those that do all the arithmetic, and those that store no layer; no
/// copies.
///
/// Without a layer: over cells, from 1e6 to 1e15, at 1000 impacts, and over impacts, from 1 to 1e6,
/// on 1e15 cells, by the engines that store none; no copies.
Scaling scaling_over_cells(bool with_device);
Scaling scaling_over_impacts(bool with_device);
Scaling scaling_over_both(bool with_device);
Scaling scaling_of_methods(bool with_device);
Scaling scaling_without_a_layer(bool with_device);

}  // namespace bombard
