#include <cstdint>
#include <set>
#include <vector>

#include "bombard/errors.hpp"
#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "tests/gpu.hpp"

using namespace bombard;

namespace {

class DeviceMemoryOnGpu : public GpuTest {};

// Large blocks go back to the driver, small ones are kept for the next array.
TEST_F(DeviceMemoryOnGpu, FreedMemoryIsFree) {
  for (const std::int64_t size : {1 << 24, 1 << 30}) {
    bool seen = false;
    // Other programs on the device may take and free memory meanwhile: one success is enough.
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
    EXPECT_TRUE(seen) << size;
  }
}

// Copies that are queued keep the device busy. Where drivers copy pageable memory to memory of
// their own first, as most do, this does not tell a copy that waits from one that does not.
TEST_F(DeviceMemoryOnGpu, WhatWasCopiedFromMayBeReused) {
  constexpr std::int64_t large = 1 << 29;
  const cuda::DeviceArray<char> from(large);
  cuda::DeviceArray<char> to(large);
  std::vector<float> values(4'000'000, 1.0F);
  cuda::DeviceArray<float> there(std::ssize(values));
  for (int i = 0; i < 30; ++i) {
    cuda::copy_on_device(from.span().data(), to.span().data(), large);
  }
  there.copy_from(values);
  values.assign(values.size(), 2.0F);
  there.copy_to(values);
  EXPECT_EQ(values, std::vector<float>(values.size(), 1.0F));
}

TEST_F(DeviceMemoryOnGpu, AnErrorThatWasHandledIsForgotten) {
  EXPECT_THROW(cuda::make_current(99), CannotRun);
  EXPECT_EQ(cuda::DeviceArray<char>(1).size(), 1);
}

TEST_F(DeviceMemoryOnGpu, WhatIsKeptServesAgain) {
  // Memory that other tests of this program have freed may also be used.
  std::set<const void*> places;
  for (int i = 0; i < 100; ++i) {
    const cuda::DeviceArray<char> array(100'000 + i);
    places.insert(array.span().data());
  }
  EXPECT_LT(places.size(), 50U);
}

}  // namespace
