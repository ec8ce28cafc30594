#pragma once

#include <cstddef>
#include <span>

#include "sim/ranks/communicator.hpp"

namespace bombard {

/// What the ranks of a fast engine in single precision know of each other's maxima, so that each
/// looks for candidates as high as the layer's maximum, not its slab's.
class SharedBounds {
 public:
  /// The engine asks for all storms of a call at once, or for one after the other.
  SharedBounds(Communicator& communicator, bool all_at_once)
      : communicator_(communicator), all_at_once_(all_at_once) {}

  /// EngineOptions::largest_of_all. The ranks meet() in it.
  void largest(std::span<double> values) const;
  /// In place of an engine that has no cells.
  void say_nothing(std::size_t storms) const;

 private:
  Communicator& communicator_;
  bool all_at_once_;
};

}  // namespace bombard
