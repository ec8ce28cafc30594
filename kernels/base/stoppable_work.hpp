#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

namespace bombard {

/// Thrown where work is to end early and nothing is wrong.
struct Stopped {};

/// While one lives, the work of the thread that made it can be stopped between any two pieces; an
/// older one of the same thread waits until it is gone.
/// That thread calls `ask` several times a second with the number of interactions done since the
/// last call. An exception from `ask` ends the work there and on the threads that share it.
class StoppableWork {
 public:
  /// An empty `ask` is never called.
  explicit StoppableWork(std::function<void(double interactions)> ask) : ask_(std::move(ask)) {
    if (ask_) join(this);
  }
  explicit StoppableWork(const std::function<void()>& ask) {
    if (!ask) return;
    ask_ = [ask](double) { ask(); };
    join(this);
  }
  ~StoppableWork() { join(outer_); }
  StoppableWork(const StoppableWork&) = delete;
  StoppableWork& operator=(const StoppableWork&) = delete;

  /// The work that this thread takes part in; nullptr if it cannot be stopped.
  static StoppableWork* of_this_thread() { return current; }
  /// Makes this thread take part in `work`, or in none if it is null.
  static void join(StoppableWork* work) { current = work; }

  /// To be called between two pieces of work of about a millisecond each; `interactions` were done
  /// in the last one, as far as they are counted.
  static void may_stop(double interactions = 0) {
    if (current != nullptr) current->ask(interactions);
  }
  /// The same for step `i` of a loop of short steps.
  static void may_stop_at(std::size_t i) {
    constexpr std::size_t steps_together = 1 << 14;
    if (i % steps_together == 0) may_stop();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void ask(double interactions) {
    if (interactions > 0) interactions_ += interactions;
    if (std::this_thread::get_id() == asker_ &&
        Clock::now() - asked > std::chrono::milliseconds(50)) {
      asked = Clock::now();
      try {
        ask_(interactions_.exchange(0));
      } catch (...) {
        thrown_ = std::current_exception();
        is_over_ = true;
      }
    }
    if (is_over_) std::rethrow_exception(thrown_);
  }

  static inline thread_local StoppableWork* current = nullptr;
  static inline thread_local Clock::time_point asked = {};  ///< kept: works can be short and many

  StoppableWork* const outer_ = current;
  std::function<void(double)> ask_;
  std::thread::id asker_ = std::this_thread::get_id();
  std::atomic<double> interactions_ = 0;
  std::atomic<bool> is_over_ = false;
  std::exception_ptr thrown_;  ///< set once it is over
};

}  // namespace bombard
