#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>

#include "kernels/base/stoppable_work.hpp"

namespace bombard::cpu {

/// The width of the pieces when `cells` cells are divided evenly, none wider than `widest`, into
/// as many pieces as keep all threads busy.
constexpr std::int64_t width_of_pieces(std::int64_t cells, int threads, std::int64_t widest) {
  const std::int64_t fewest = (cells + widest - 1) / widest;
  const std::int64_t pieces = std::min((fewest + threads - 1) / threads * threads, cells);
  return cells == 0 ? 0 : (cells + pieces - 1) / pieces;
}

/// Calls work() on this thread and meanwhile on up to `others` threads of the process's team. They
/// are started when they are first needed, and wait for more work when they have finished.
/// Returns when all calls that have begun have ended: a thread that comes too late does not call
/// work(), which must not throw.
void work_together(int others, const std::function<void()>& work);

/// Shares out the indices 0 .. count-1 among up to `threads` threads, this one and others, and
/// returns when all are done. On each thread worker(each) runs once; each(work) calls work(index)
/// for the indices that the thread gets; each index goes to the next thread that is free. An
/// exception from one of the threads is rethrown here, and indices not yet begun are skipped. A
/// worker may share out work in its turn.
template <class Worker>
void share_out(std::int64_t count, int threads, const Worker& worker) {
  std::atomic<std::int64_t> next{0};
  const auto each = [&](const auto& work) {
    for (std::int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      StoppableWork::may_stop();
      work(i);
    }
  };
  std::exception_ptr thrown;
  std::mutex throwing;
  StoppableWork* const stoppable = StoppableWork::of_this_thread();
  const auto run = [&] {
    StoppableWork* const before = StoppableWork::of_this_thread();
    StoppableWork::join(stoppable);
    try {
      worker(each);
    } catch (...) {
      const std::scoped_lock lock(throwing);
      thrown = std::current_exception();
      next = count;
    }
    StoppableWork::join(before);
  };
  if (threads > 1 && count > 1) {
    work_together(static_cast<int>(std::min<std::int64_t>(count, threads)) - 1, run);
  } else {
    run();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace bombard::cpu
