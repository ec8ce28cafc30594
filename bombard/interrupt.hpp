#pragma once

#include <chrono>
#include <functional>
#include <utility>

namespace bombard {

/// Asks the caller, several times a second, whether to go on. Not installed.
class Interrupt {
 public:
  explicit Interrupt(std::function<void()> ask) : ask_(std::move(ask)) {}

  bool is_asked() const { return static_cast<bool>(ask_); }
  void maybe_ask() {
    if (!ask_) return;
    const auto now = Clock::now();
    if (now - asked_ < std::chrono::milliseconds(50)) return;
    asked_ = now;
    ask_();
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::function<void()> ask_;
  Clock::time_point asked_ = Clock::now();
};

}  // namespace bombard
