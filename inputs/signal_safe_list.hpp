#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace bombard {

/// Things of one kind that exist now, for a signal handler to look through while any thread adds
/// and removes some. It has room for a fixed number; more are not listed.
template <class T>
class SignalSafeList {
 public:
  void add(const T* thing) noexcept {
    for (std::atomic<const T*>& slot : slots_) {
      const T* none = nullptr;
      if (slot.compare_exchange_strong(none, thing)) return;
    }
  }
  void remove(const T* thing) noexcept {
    for (std::atomic<const T*>& slot : slots_) {
      const T* held = thing;
      if (slot.compare_exchange_strong(held, nullptr)) return;
    }
  }
  /// Calls visit(thing) for each; for a signal handler if visit() is.
  template <class Visit>
  void for_each(const Visit& visit) const noexcept {
    for (const std::atomic<const T*>& slot : slots_) {
      if (const T* const thing = slot.load(); thing != nullptr) visit(*thing);
    }
  }

 private:
  static_assert(std::atomic<const T*>::is_always_lock_free);
  std::array<std::atomic<const T*>, 64> slots_{};
};

}  // namespace bombard
