#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>

namespace bombard {

/// While one lives, the work of the thread that made it can be given up between any two pieces.
/// That thread asks `stop`, several times a second; the threads that share its work learn of the
/// answer.
class StoppableWork {
 public:
  /// Thrown where the work is given up.
  struct Stopped {};

  explicit StoppableWork(std::function<bool()> stop) : stop_(std::move(stop)) { join(this); }
  ~StoppableWork() { join(nullptr); }
  StoppableWork(const StoppableWork&) = delete;
  StoppableWork& operator=(const StoppableWork&) = delete;

  /// The work that this thread shares; nullptr: it cannot be stopped.
  static StoppableWork* of_this_thread() { return current; }
  /// Makes this thread share a work, or no work any more.
  static void join(StoppableWork* work) { current = work; }

  /// Between two pieces of work, of a thousandth of a second or so.
  static void may_stop() {
    if (current != nullptr) current->ask();
  }
  /// The same in a loop of short steps, in step `i`.
  static void may_stop_at(std::size_t i) {
    constexpr std::size_t steps_together = 1 << 14;
    if (i % steps_together == 0) may_stop();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void ask() {
    if (std::this_thread::get_id() == asker_ &&
        Clock::now() - asked_ > std::chrono::milliseconds(50)) {
      asked_ = Clock::now();
      if (stop_()) stopped_ = true;
    }
    if (stopped_) throw Stopped();
  }

  static inline thread_local StoppableWork* current = nullptr;

  std::function<bool()> stop_;
  std::thread::id asker_ = std::this_thread::get_id();
  std::atomic<bool> stopped_ = false;
  Clock::time_point asked_ = Clock::now();
};

}  // namespace bombard
