#pragma once

#include <unistd.h>

#include <string_view>
#include <utility>

namespace bombard {

/// The number of an open file, which is closed with the object; -1 for none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  /// Closes the file. Returns whether nothing was lost: a network file system reports a full disk
  /// only here.
  bool close() { return !is_open() || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_ = -1;
};

/// Waits until a pipe or a device can be read, and meanwhile asks whether the work of this thread
/// is to stop (StoppableWork).
void wait_for_input(int descriptor);

/// Writes all bytes, with the same question while a pipe has no room. Returns 0, or the error.
int write_all(int descriptor, std::string_view bytes);

}  // namespace bombard
