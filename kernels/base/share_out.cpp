#include "kernels/base/share_out.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <limits>
#include <system_error>
#include <thread>

#include "kernels/base/usual_arithmetic.hpp"

namespace bombard::cpu {

namespace {

/// Work that waits for threads, or has some already.
struct Job {
  const std::function<void()>& work;
  int wanted;             ///< threads that may still begin
  std::atomic<int> busy;  ///< threads that have begun and not ended
};

/// Threads of the process that help its other threads with their work.
class Team {
 public:
  void work_together(int others, const std::function<void()>& work) {
    Job job{work, others, 0};
    std::unique_lock lock(changing_);
    enlarge(others);
    jobs_.push_back(&job);
    ++jobs_so_far_;
    lock.unlock();
    wake(others);
    work();
    lock.lock();
    std::erase(jobs_, &job);
    lock.unlock();
    look_out_for([&] { return job.busy == 0; });
    lock.lock();
    ended_.wait(lock, [&] { return job.busy == 0; });
  }

 private:
  void enlarge(int threads) {
    threads = std::min(threads, most_threads());
    try {
      for (; threads_ < threads; ++threads_) std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {  // the system refuses: fewer threads do all of the work
    }
  }

  /// The stacks of more threads would take more than a quarter of the address space that the
  /// process may have, and the work would lack it.
  static int most_threads() {
    rlimit space{}, stack{};
    if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY ||
        getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur == RLIM_INFINITY) {
      return std::numeric_limits<int>::max();
    }
    return static_cast<int>(std::min<rlim_t>(
        space.rlim_cur / 4 / std::max<rlim_t>(stack.rlim_cur, 1), std::numeric_limits<int>::max()));
  }

  /// Each thread that wakes up wakes two others: that is faster than one thread waking them all.
  void wake(int wanted) {
    for (int i = 0; i < wanted && i < 2; ++i) wake_.notify_one();
  }

  /// The parts of a storm follow one another sooner than this, and a thread that sleeps takes 50 us
  /// and more to wake up: on 16 cores storms take up to a third less time than with a wait of 50 us
  /// (docs/journal.md, Sixteen cores).
  template <class Happened>
  static void look_out_for(const Happened& happened) {
    constexpr std::chrono::microseconds awake{500};
    const auto end = std::chrono::steady_clock::now() + awake;
    while (!happened() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  }

  void serve() {
    const UsualArithmetic arithmetic;  // a thread begins with its maker's
    std::unique_lock lock(changing_);
    for (;;) {
      while (jobs_.empty()) {
        const std::int64_t known = jobs_so_far_;
        const auto is_new = [&] { return jobs_so_far_ != known; };
        lock.unlock();
        look_out_for(is_new);
        lock.lock();
        wake_.wait(lock, is_new);
      }
      Job& job = *jobs_.front();
      ++job.busy;
      const int wanted = --job.wanted;
      if (wanted == 0) jobs_.pop_front();
      lock.unlock();
      wake(wanted);
      job.work();
      lock.lock();
      if (--job.busy == 0) ended_.notify_all();
    }
  }

  std::mutex changing_;  ///< guards all that follows
  std::condition_variable wake_, ended_;
  std::deque<Job*> jobs_;  ///< those that still want threads
  std::atomic<std::int64_t> jobs_so_far_ = 0;
  int threads_ = 0;
};

/// Never destroyed: its threads serve until the process ends. A child of fork() has none of them
/// and begins with its own team.
Team* team = new Team;
[[maybe_unused]] const int in_children = pthread_atfork(nullptr, nullptr, [] { team = new Team; });

}  // namespace

void work_together(int others, const std::function<void()>& work) {
  team->work_together(others, work);
}

}  // namespace bombard::cpu
