#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "kernels/base/stoppable_work.hpp"

namespace bombard::cpu {

/// The width of equal pieces of `cells` cells, no wider than `widest`, whose number keeps all
/// threads busy.
constexpr std::int64_t width_of_pieces(std::int64_t cells, int threads, std::int64_t widest) {
  const std::int64_t fewest = (cells + widest - 1) / widest;
  const std::int64_t pieces = std::min((fewest + threads - 1) / threads * threads, cells);
  return (cells + pieces - 1) / pieces;
}

/// Shares out the indices 0 .. count-1 among `threads` threads, this one and new ones, and returns
/// when all are done. On each thread worker(each) runs once; each(work) calls work(index) for the
/// indices that the thread gets, one by one, whoever is free next. An exception of one of them is
/// thrown here, and indices not begun yet are left.
///
/// For pieces of work of milliseconds with much work of one thread in between: threads that have
/// nothing left to do end. Where the system refuses a thread, the others do all of the work. The
/// threads of an OpenMP team spin instead, and on a machine that has other work to do they keep the
/// one thread that matters from running.
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
  const auto run = [&, stoppable = StoppableWork::of_this_thread()] {
    StoppableWork::join(stoppable);
    try {
      worker(each);
    } catch (...) {
      const std::scoped_lock lock(throwing);
      thrown = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (int i = 1; i < threads && i < count; ++i) others.emplace_back(run);
    } catch (const std::system_error&) {
    }
    run();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace bombard::cpu
