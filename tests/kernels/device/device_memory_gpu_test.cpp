#include <cstdint>

#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "tests/gpu.hpp"

using namespace bombard;

namespace {

class DeviceMemoryOnGpu : public GpuTest {};

TEST_F(DeviceMemoryOnGpu, FreedMemoryIsFreeThoughThePoolKeepsIt) {
  cuda::use_device(0);  // the pool keeps what is freed from here on
  constexpr std::int64_t size = 1 << 30;
  bool seen = false;
  // Other programs on the device may take and free memory at the same time: one of a few will do.
  for (int attempt = 0; attempt < 20 && !seen; ++attempt) {
    std::int64_t before = 0;
    {
      const cuda::DeviceArray<char> array(size);
      cuda::synchronize();
      before = cuda::free_device_memory();
    }
    cuda::synchronize();
    const std::int64_t freed = cuda::free_device_memory() - before;
    seen = freed > size / 10 * 9 && freed < size / 10 * 11;
  }
  EXPECT_TRUE(seen);
}

}  // namespace
