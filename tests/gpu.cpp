#include "tests/gpu.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "kernels/device/device.hpp"

void require_gpu() {
  if (!bombard::cuda::devices().empty()) return;
  const char* required = std::getenv("BOMBARD_REQUIRE_GPU");
  if (required != nullptr && std::string_view(required) == "1") {
    FAIL() << "BOMBARD_REQUIRE_GPU=1, but this process sees no GPU";
  }
  GTEST_SKIP() << "no GPU here";
}

bool is_started(int device) {
  void* const entry = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuDevicePrimaryCtxGetState");
  unsigned flags = 0;
  int active = 0;
  const auto state = reinterpret_cast<int (*)(int, unsigned*, int*)>(entry);
  return state(device, &flags, &active) != 0 || active != 0;
}
