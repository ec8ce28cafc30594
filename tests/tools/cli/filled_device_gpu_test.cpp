// A GPU whose memory others have taken: the program says so and ends with 3, or goes on.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bombard/errors.hpp"
#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "tests/gpu.hpp"
#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

/// As it was when the process began: the tests of the program hide all GPUs before each test.
const std::optional<std::string> visible_devices = [] {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible == nullptr ? std::nullopt : std::optional<std::string>(visible);
}();

class FilledDevice : public ProgramTest {
 protected:
  void SetUp() override {
    if (visible_devices) {
      setenv("CUDA_VISIBLE_DEVICES", visible_devices->c_str(), 1);
    } else {
      unsetenv("CUDA_VISIBLE_DEVICES");
    }
    require_gpu();
    if (IsSkipped() || HasFatalFailure()) return;
    cuda::use_device(0);
    done("cp $samples/layer_60_storm_1.txt storm.txt");
  }

  /// Takes device memory until about `bytes` bytes are free.
  static std::vector<cuda::DeviceArray<std::byte>> leave(std::int64_t bytes) {
    std::vector<cuda::DeviceArray<std::byte>> taken;
    for (std::int64_t size = std::int64_t{1} << 34; size >= 1 << 26; size /= 2) {
      try {
        while (cuda::free_device_memory() - bytes >= size) taken.emplace_back(size);
      } catch (const CannotRun&) {  // not all of the free memory can be had in one piece
      }
    }
    return taken;
  }

  Outcome on_gpu(const std::string& command) { return shell("bombard " + command + " --quiet"); }
};

TEST_F(FilledDevice, IsAMessageAndLosesNothing) {
  shell("bombard generate vector --elements=20000000 --format=npy");
  for (const std::string command : {"run 20000000 storm.txt --engine cuda_staged --layer l.npy",
                                    "run 20000000 storm.txt --engine cuda_direct --layer l.npy",
                                    "run 20000000 storm.txt --engine cuda_fast --layer l.npy",
                                    "run 20000000 storm.txt --engine cuda_double --layer l.npy",
                                    "solve sort vector_20000000.npy --device cuda --output l.npy",
                                    "solve sum vector_20000000.npy --device cuda"}) {
    SCOPED_TRACE(command);
    std::vector<int> codes;
    for (const std::int64_t megabytes : {0, 100, 500, 600, 700, 1000, 4000}) {
      SCOPED_TRACE(testing::Message() << megabytes << " MB free");
      written("l.npy", "old");
      const auto taken = leave(megabytes * 1'000'000);
      const Outcome outcome = on_gpu(command);
      codes.push_back(outcome.exit_code);
      if (outcome.exit_code == 0) continue;
      EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
      EXPECT_TRUE(matches(outcome.err, "bombard: *"));
      EXPECT_TRUE(contains(outcome.err, "memory"));
      EXPECT_EQ(outcome.out, "");
      EXPECT_EQ(content("l.npy"), "old");
      EXPECT_EQ(shell("ls -A | grep -c ^[.]").out, "0\n");
    }
    EXPECT_EQ(codes.front(), 3);
    EXPECT_EQ(codes.back(), 0);
    EXPECT_TRUE(std::ranges::is_sorted(codes, std::greater{})) << "less memory, and it ran";
  }
}

// 3.2 GB of layer, and the same for the energies of all cells if they fit.
TEST_F(FilledDevice, FewImpactsFitWhereTheEnergiesOfAllCellsDoNot) {
  shell("bombard generate --cells 400000000 --impacts 20000 --storms 2 --directory storms");
  const auto result = [&] {
    const Outcome outcome = on_gpu("run 400000000 storms/* --engine cuda_double --format result");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out.substr(std::min(outcome.out.find("Result"), outcome.out.size()));
  };
  const std::string with_room = result();
  const auto taken = leave(5'600'000'000);
  EXPECT_EQ(result(), with_room);
}

}  // namespace
}  // namespace bombard::tests
