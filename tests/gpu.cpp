#include "tests/gpu.hpp"

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
