#include "kernels/device/device.hpp"

#include <gtest/gtest.h>

namespace bombard::cuda {
namespace {

int of_device[2];           ///< their addresses stand for the contexts of two GPUs
void* current = of_device;  ///< null: this thread has used no GPU
int asked = 0;

std::vector<Device> two_devices() {
  Device device{};
  device.has_code = true;
  std::vector<Device> both{device, device};
  both[1].index = 1;
  return both;
}

/// Puts a CUDA part of its own before the one that the program may have.
class CallersDeviceTest : public testing::Test {
 protected:
  CallersDeviceTest() {
    const auto tell = [] {
      ++asked;
      return current;
    };
    const auto restore = [](void* context) noexcept { current = context; };
    const auto make = [](int index) { current = of_device + index; };
    parts.insert(parts.begin(), CudaPart{two_devices, tell, restore, make, {}, {}, {}});
    current = of_device;
    asked = 0;
  }
  ~CallersDeviceTest() override { parts.erase(parts.begin()); }

  std::vector<CudaPart>& parts = registered<CudaPart>();
};

TEST_F(CallersDeviceTest, ComesBackToThatOfEachCaller) {
  {
    const CallersDevice callers;
    use_device(1);
    make_current(0);
    make_current(1);
    {
      const CallersDevice within;
      make_current(0);
      EXPECT_EQ(current, of_device);
    }
    EXPECT_EQ(current, of_device + 1);
  }
  EXPECT_EQ(current, of_device);
  EXPECT_EQ(asked, 2);  // once for each caller
}

TEST_F(CallersDeviceTest, IsNotAskedForUnlessAnotherOneIsNeeded) {
  { const CallersDevice callers; }
  EXPECT_EQ(asked, 0);
  make_current(1);  // for the program itself, which keeps it
  EXPECT_EQ(current, of_device + 1);
  EXPECT_EQ(asked, 0);
}

TEST_F(CallersDeviceTest, RestoresNothingWhereTheCallerHasUsedNone) {
  current = nullptr;
  {
    const CallersDevice callers;
    make_current(1);
  }
  EXPECT_EQ(current, of_device + 1);
}

}  // namespace
}  // namespace bombard::cuda
