#include "kernels/base/share_out.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <vector>

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

}  // namespace
