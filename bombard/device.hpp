#pragma once

namespace bombard {

/// The CPU, the GPU of this number, or, for automatic, the one that should be faster.
struct Device {
  enum Kind { automatic, cpu, cuda };

  // A kind alone is a device: `.device = Device::cpu`. NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Device(Kind kind_of_device = automatic, int number = 0)
      : kind(kind_of_device), index(number) {}

  Kind kind;
  int index;  ///< the GPU's number
  friend bool operator==(const Device&, const Device&) = default;
};

}  // namespace bombard
