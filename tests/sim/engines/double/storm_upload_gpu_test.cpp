#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "sim/engines/double/storm_upload.hpp"
#include "sim/generation.hpp"
#include "tests/gpu.hpp"

using namespace bombard;

namespace {

class StormUploadOnGpu : public GpuTest {};

/// A storm's launches find its impacts unchanged, though copies wait for a device that is busy with
/// the storms before, and every packet is written again and again in the meantime.
void send_and_compare(int threads) {
  constexpr std::int64_t cells = 1'000'000;
  constexpr std::int64_t impacts = 1'200'001;
  constexpr std::int64_t large = 1 << 29;
  const cuda::DeviceArray<char> from(large);
  cuda::DeviceArray<char> to(large);
  const auto be_busy = [&] {
    for (int i = 0; i < 30; ++i) {
      cuda::copy_on_device(from.span().data(), to.span().data(), large);
    }
  };
  std::vector<Storm> storms;
  std::vector<cuda::DeviceArray<Impact>> arrived;
  for (int i = 0; i < 6; ++i) {
    const std::int64_t of_storm = i == 3 ? 20'000 : impacts;  // in one packet
    storms.push_back(generate_storm(cells + 200, of_storm, 1, 1000, 5, i));
  }
  StormUpload upload(threads);
  // The memory of both storms on the device is in use at first.
  be_busy();
  for (int storm = 0; storm < 2; ++storm) upload.release();
  for (const Storm& storm : storms) {
    const std::span<const Impact> there = upload.send(storm.impacts);
    auto& array = arrived.emplace_back(std::ssize(there));
    cuda::copy_on_device(there.data(), array.span().data(),
                         static_cast<std::int64_t>(there.size_bytes()));
    be_busy();
    upload.release();
  }
  for (std::size_t i = 0; i < storms.size(); ++i) {
    std::vector<Impact> found(static_cast<std::size_t>(arrived[i].size()));
    arrived[i].copy_to(found);
    const auto same = [](const Impact& a, const Impact& b) {
      return a.position == b.position && a.energy == b.energy;
    };
    EXPECT_TRUE(std::ranges::equal(found, storms[i].impacts, same)) << "storm " << i;
  }
}

TEST_F(StormUploadOnGpu, WhatArrivesIsWhatWasSent) {
  send_and_compare(2);
}

TEST_F(StormUploadOnGpu, WhatArrivesIsWhatWasSentWhereEachPacketHasItsMemory) {
  send_and_compare(8);
}

/// Whether this process has a context on a GPU.
bool is_started(int device) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  cudaGetDriverEntryPointByVersion("cuDevicePrimaryCtxGetState", &entry, 13000, cudaEnableDefault,
                                   &found);
  unsigned flags = 0;
  int active = 0;
  const auto state = reinterpret_cast<int (*)(int, unsigned*, int*)>(entry);
  return state(device, &flags, &active) != 0 || active != 0;
}

// The threads that send packets are new, and CUDA's own choice for them is GPU 0: to start that one
// takes longer than most storms.
TEST_F(StormUploadOnGpu, StartsNoOtherGpu) {
  if (cuda::devices().size() < 2) GTEST_SKIP() << "one GPU";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process, in which no GPU is started
  EXPECT_EXIT(
      {
        cuda::use_device(1);
        StormUpload upload(4);
        upload.send(generate_storm(1'000'000, 1'200'000, 1, 1000, 5, 0).impacts);
        cuda::synchronize();
        std::_Exit(is_started(1) && !is_started(0) ? 3 : 4);
      },
      testing::ExitedWithCode(3), "");
}

}  // namespace
