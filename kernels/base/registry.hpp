#pragma once

#include <utility>
#include <vector>

namespace bombard {

/// The offers of one kind that the linked libraries of a program make. The CUDA part is such a
/// library (docs/design.md): a program that was linked without it finds the list empty, and nothing
/// stands in for what is missing.
template <class Thing>
std::vector<Thing>& registered() {
  static std::vector<Thing> things;
  return things;
}

/// Adds to the list before main() begins:
///   const Registered engine{DeviceEngine{"cuda_fast", make}};
/// at namespace scope, in a file whose object the program is linked with.
template <class Thing>
struct Registered {
  explicit Registered(Thing thing) { registered<Thing>().push_back(std::move(thing)); }
};

}  // namespace bombard
