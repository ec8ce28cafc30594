#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "bombard/device.hpp"
#include "kernels/base/cores.hpp"
#include "tests/gpu.hpp"

/// Whether the kernels of this test program run on a GPU (cpu_backend.cpp, gpu_backend.cpp).
bool on_gpu();

/// Ends the test where the device is not there.
inline void require_device() {
  if (on_gpu()) require_gpu();
}

/// A test that is in the program of the CPU and in that of the GPU.
class BackendTest : public testing::Test {
 protected:
  void SetUp() override { require_device(); }
  static bombard::Device device() {
    return on_gpu() ? bombard::Device::cuda : bombard::Device::cpu;
  }
};

/// Expects work() to return the same with any number of threads, and returns that.
template <class Work>
auto expect_the_same_on_any_threads(const Work& work) {
  std::optional<decltype(work())> expected;
  for (const int threads : {1, 2, 3, 7}) {
    bombard::set_default_threads(threads);
    const auto found = work();
    EXPECT_EQ(found, expected.value_or(found)) << threads << " threads";
    expected = found;
  }
  bombard::set_default_threads(0);
  return *expected;
}
