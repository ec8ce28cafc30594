#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>

#include "kernels/base/stoppable_work.hpp"

namespace bombard::cpu {

/// The width of equal pieces of `cells` cells, no wider than `widest`, whose number keeps all
/// threads busy.
constexpr std::int64_t width_of_pieces(std::int64_t cells, int threads, std::int64_t widest) {
  const std::int64_t fewest = (cells + widest - 1) / widest;
  const std::int64_t pieces = std::min((fewest + threads - 1) / threads * threads, cells);
  return (cells + pieces - 1) / pieces;
}

/// Calls work() on this thread, and meanwhile on up to `others` threads of the process' team. These
/// stay when they have done it, and wait for more; they are made when they are first needed.
/// Returns when all calls that have begun have ended: a thread that comes too late does not call.
/// work() throws nothing.
void work_together(int others, const std::function<void()>& work);

/// Shares out the indices 0 .. count-1 among up to `threads` threads, this one and others, and
/// returns when all are done. On each thread worker(each) runs once; each(work) calls work(index)
/// for the indices that the thread gets, one by one, whoever is free next. An exception of one of
/// them is thrown here, and indices not begun yet are left. A worker may share out work in its
/// turn.
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
