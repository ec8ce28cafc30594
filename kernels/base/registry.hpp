#pragma once

#include <utility>
#include <vector>

namespace bombard {

/// What the linked libraries of a program offer of one kind. The CUDA part is such a library
/// (docs/design.md): a program that was linked without it finds the list empty and needs no stubs.
template <class Thing>
std::vector<Thing>& registered() {
  static std::vector<Thing> things;
  return things;
}

/// Adds to the list before main() begins:
///   const Registered engine{DeviceEngine{"cuda_fast", make}};
/// at namespace scope, in a file whose object is linked into the program.
template <class Thing>
struct Registered {
  explicit Registered(Thing thing) { registered<Thing>().push_back(std::move(thing)); }
};

}  // namespace bombard
