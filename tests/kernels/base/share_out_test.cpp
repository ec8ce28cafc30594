#include "kernels/base/share_out.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/other_arithmetic.hpp"

using namespace bombard;

namespace {

TEST(ShareOut, EveryIndexOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    for (const std::int64_t count : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> times(static_cast<std::size_t>(count));
      cpu::share_out(count, threads, [&](const auto& each) {
        each([&](std::int64_t i) { ++times[static_cast<std::size_t>(i)]; });
      });
      for (const std::atomic<int>& of_index : times) EXPECT_EQ(of_index, 1);
    }
  }
}

TEST(ShareOut, ThrowsWhatAThreadThrew) {
  for (const std::int64_t bad : {0, 5, 99}) {
    EXPECT_THROW(cpu::share_out(100, 4,
                                [&](const auto& each) {
                                  each([&](std::int64_t i) {
                                    if (i == bad) throw std::runtime_error("bad index");
                                  });
                                }),
                 std::runtime_error);
  }
}

/// Whether two threads work at the same time: each waits for the other.
bool two_work_together() {
  std::atomic<int> begun = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  cpu::share_out(2, 2, [&](const auto& each) {
    each([&](std::int64_t) {
      ++begun;
      while (begun < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    });
  });
  return std::chrono::steady_clock::now() < end;
}

TEST(ShareOut, ThreadsStayAndWorkTogether) {
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(two_work_together());
}

TEST(ShareOut, AChildOfForkHasThreadsOfItsOwn) {
  ASSERT_TRUE(two_work_together());
  const pid_t child = fork();
  if (child == 0) _exit(two_work_together() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(ShareOut, ManyCallersAndWorkersInTheirTurn) {
  constexpr int repeats = 200;
  std::atomic<int> done = 0;
  const auto share_out_twice = [&] {
    for (int i = 0; i < repeats; ++i) {
      cpu::share_out(4, 3, [&](const auto& each) {
        each([&](std::int64_t) {
          cpu::share_out(5, 3, [&](const auto& inner) { inner([&](std::int64_t) { ++done; }); });
        });
      });
    }
  };
  {
    const std::jthread other(share_out_twice);
    share_out_twice();
  }
  EXPECT_EQ(done, 2 * repeats * 4 * 5);
}

// A thread begins with the arithmetic of the one that makes it.
TEST(ShareOut, ThreadsComputeAsUsual) {
  const tests::OtherArithmetic callers(FE_UPWARD);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> others = 0;
  cpu::share_out(4, 4, [&](const auto&) {
    if (std::this_thread::get_id() != caller) {
      EXPECT_EQ(std::fegetround(), FE_TONEAREST);
      EXPECT_FALSE(tests::flushes_to_zero());
      ++others;
    }
    while (others == 0) std::this_thread::yield();
  });
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
}

}  // namespace
