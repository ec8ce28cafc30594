#include <cstdint>
#include <cstdlib>
#include <vector>

#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "sim/engines/storm_upload.hpp"
#include "sim/generation.hpp"
#include "tests/gpu.hpp"

using namespace bombard;

namespace {

class StormUploadOnGpu : public GpuTest {};

/// A storm's launches find its impacts unchanged, though copies wait for a device that is busy with
/// the storms before, and every packet is written again and again in the meantime. 192 MB: the
/// first three storms come from pageable memory.
TEST_F(StormUploadOnGpu, WhatArrivesIsWhatWasSent) {
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
  for (int i = 0; i < 10; ++i)
    storms.push_back(generate_storm(cells + 200, impacts, 1, 1000, 5, i));
  for (const int threads : {2, 8}) {  // of 8, each packet has its memory
    SCOPED_TRACE(testing::Message() << threads << " threads");
    std::vector<cuda::DeviceArray<Impact>> arrived;
    StormUpload upload(threads);
    be_busy();
    for (const Storm& storm : storms) {
      const std::span<const Impact> there = upload.send(storm.impacts);
      auto& array = arrived.emplace_back(std::ssize(there));
      cuda::copy_on_device(there.data(), array.span().data(),
                           static_cast<std::int64_t>(there.size_bytes()));
      be_busy();
    }
    for (std::size_t i = 0; i < storms.size(); ++i) {
      std::vector<Impact> found(static_cast<std::size_t>(arrived[i].size()));
      arrived[i].copy_to(found);
      EXPECT_EQ(found, storms[i].impacts) << "storm " << i;
    }
  }
}

std::vector<Storm> storms_of_sizes() {
  std::vector<Storm> storms;
  for (const std::int64_t impacts : {20'000, 0, 10'000, 2768, 1, 40'000, 5}) {
    storms.push_back(generate_storm(1000, impacts, 1, 1000, 5, impacts));
  }
  return storms;
}

// Storms of all sizes, and none, one after another in the same memory.
TEST_F(StormUploadOnGpu, StormsOfAnySize) {
  StormUpload upload(2);
  for (const Storm& storm : storms_of_sizes()) {
    const std::span<const Impact> there = upload.send(storm.impacts);
    std::vector<Impact> found(there.size());
    cuda::copy_to_host(there.data(), found.data(), static_cast<std::int64_t>(there.size_bytes()));
    EXPECT_EQ(found, storm.impacts);
  }
}

// 75 MB in all: the first 64 MiB from pageable memory, the others from page-locked memory. Nothing
// waits between: impacts that are written next must not reach the array before it.
TEST_F(StormUploadOnGpu, AllStormsGoToTheCallersMemory) {
  constexpr int rounds = 64;
  StormUpload upload(2);
  std::vector<Impact> expected;
  std::vector<std::vector<Storm>> sent(rounds, storms_of_sizes());
  for (int round = 0; round < rounds; ++round) {
    for (Storm& storm : sent[round]) {
      for (Impact& impact : storm.impacts) impact.energy += round;
      expected.insert(expected.end(), storm.impacts.begin(), storm.impacts.end());
    }
  }
  cuda::DeviceArray<Impact> there(static_cast<std::int64_t>(expected.size()));
  upload.wait_for_launches();
  std::span<Impact> to = there.span();
  for (const std::vector<Storm>& storms : sent) {
    for (const Storm& storm : storms) {
      upload.send(storm.impacts, to);
      to = to.subspan(storm.impacts.size());
    }
  }
  std::vector<Impact> found(expected.size());
  there.copy_to(found);
  EXPECT_EQ(found, expected);
}

// The threads that send packets are new, and CUDA's own choice for them is GPU 0: starting that one
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
