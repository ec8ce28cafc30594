#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "kernels/device/device.hpp"
#include "kernels/device/device_memory.hpp"
#include "kernels/layer/cell_deposit.hpp"
#include "sim/engines/storm_upload.hpp"
#include "sim/generation.hpp"
#include "tests/gpu.hpp"

using namespace bombard;

namespace {

class StormUploadOnGpu : public GpuTest {};

/// What a storm's launches find is what it was, though copies wait for a device that is busy with
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
  std::vector<cuda::DeviceArray<Impact>> deposits;
  std::vector<cuda::DeviceArray<CellDeposit>> cell_deposits;
  for (int i = 0; i < 6; ++i) storms.push_back(generate_storm(cells + 200, impacts, 1, 1000, 5, i));
  StormUpload upload({100, 100 + cells}, threads);
  // The memory of both storms on the device is in use at first.
  be_busy();
  for (int storm = 0; storm < 2; ++storm) upload.release();
  for (int i = 0; i < 6; ++i) {
    const bool by_cell = i % 3 == 2;
    const UploadedStorm there =
        by_cell ? upload.send_by_cell(storms[i].impacts) : upload.send(storms[i].impacts);
    StormExtent extent;
    for (const Impact& impact : storms[i].impacts) extent.add(impact);
    if (by_cell) {
      EXPECT_LE(there.extent.lowest, extent.lowest);
      EXPECT_GE(there.extent.highest, extent.highest);
      EXPECT_LE(there.extent.weakest, extent.weakest);
    } else {
      EXPECT_EQ(there.extent, extent);
    }
    const auto keep = [](const auto& span, auto& arrays) {
      auto& array = arrays.emplace_back(static_cast<std::int64_t>(span.size()));
      cuda::copy_on_device(span.data(), array.span().data(),
                           static_cast<std::int64_t>(span.size_bytes()));
    };
    keep(there.deposits, deposits);
    keep(there.cell_deposits, cell_deposits);
    be_busy();
    upload.release();
  }
  for (std::size_t i = 0; i < storms.size(); ++i) {
    std::vector<Impact> own(static_cast<std::size_t>(deposits[i].size()));
    std::vector<CellDeposit> on_cells(static_cast<std::size_t>(cell_deposits[i].size()));
    deposits[i].copy_to(own);
    cell_deposits[i].copy_to(on_cells);
    std::int64_t wrong = 0;
    std::size_t outside = 0;
    for (std::size_t k = 0; k < storms[i].impacts.size(); ++k) {
      const std::int64_t cell = storms[i].impacts[k].position - 100;
      const std::int32_t energy = storms[i].impacts[k].energy;
      const bool inside = cell >= 0 && cell < cells;
      if (on_cells.empty()) {
        if (own.at(k).position != cell || own[k].energy != energy) ++wrong;
      } else if (inside) {
        if (on_cells.at(k).cell != cell || on_cells[k].energy != energy) ++wrong;
      } else {
        if (on_cells.at(k).energy != 0) ++wrong;
        if (own.at(outside).position != cell || own[outside].energy != energy) ++wrong;
        ++outside;
      }
    }
    EXPECT_EQ(wrong, 0) << "storm " << i;
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
        StormUpload upload({0, 1'000'000}, 4);
        upload.send(generate_storm(1'000'000, 1'200'000, 1, 1000, 5, 0).impacts);
        cuda::synchronize();
        std::_Exit(is_started(1) && !is_started(0) ? 3 : 4);
      },
      testing::ExitedWithCode(3), "");
}

}  // namespace
