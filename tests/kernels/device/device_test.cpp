#include "kernels/device/device.hpp"

#include <gtest/gtest.h>

namespace bombard::cuda {
namespace {

int current = 0;  ///< the current device of a machine with two GPUs
int asked = 0;

std::vector<Device> two_devices() {
  Device device{};
  device.has_code = true;
  std::vector<Device> both{device, device};
  both[1].index = 1;
  return both;
}

void make(int index) {
  current = index;
}

int tell() {
  ++asked;
  return current;
}

/// Puts a CUDA part of its own before the one that the program may have.
class CallersDeviceTest : public testing::Test {
 protected:
  CallersDeviceTest() {
    parts.insert(parts.begin(), CudaPart{two_devices, tell, make, {}, {}, {}});
    current = asked = 0;
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
      EXPECT_EQ(current, 0);
    }
    EXPECT_EQ(current, 1);
  }
  EXPECT_EQ(current, 0);
  EXPECT_EQ(asked, 2);  // once for each caller
}

TEST_F(CallersDeviceTest, IsNotAskedForUnlessAnotherOneIsNeeded) {
  { const CallersDevice callers; }
  EXPECT_EQ(asked, 0);
  make_current(1);  // for the program itself, which keeps it
  EXPECT_EQ(current, 1);
  EXPECT_EQ(asked, 0);
}

}  // namespace
}  // namespace bombard::cuda
