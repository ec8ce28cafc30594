#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "bombard/device.hpp"
#include "kernels/base/cores.hpp"

/// A place where kernels run.
struct Backend {
  std::string name;
  bool on_gpu;
};

/// The backends of this program (cpu_backends.cpp, gpu_backends.cpp).
std::vector<Backend> backends();

/// Makes this the backend that kernels run on; ends the test if it is not there.
void use_backend(const Backend& backend);

/// A test of kernels that runs for each backend by name.
class BackendTest : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override { use_backend(GetParam()); }
  static bool on_gpu() { return GetParam().on_gpu; }
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

inline std::string name_of_backend(const testing::TestParamInfo<Backend>& info) {
  return info.param.name;
}
