#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/device/upload.hpp"
#include "tests/gpu.hpp"

using namespace bombard;

namespace {

class UploadOnGpu : public GpuTest {};

std::vector<int> numbers_from(int first, std::size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

// 9.6 MB in all: the first 4 MiB from pageable memory, the others from page-locked memory. Each
// array is longer than the one before, so that memory of either kind grows.
TEST_F(UploadOnGpu, WhatIsFilledArrives) {
  cuda::Upload<int> upload;
  for (int i = 1; i <= 15; ++i) {
    const std::vector<int> sent = numbers_from(1'000'000 * i, 20'000 * static_cast<std::size_t>(i));
    std::ranges::copy(sent, upload.fill(static_cast<std::int64_t>(sent.size())).begin());
    const std::span<const int> there = upload.send();
    std::vector<int> back(sent.size());
    cuda::copy_to_host(there.data(), back.data(), static_cast<std::int64_t>(there.size_bytes()));
    EXPECT_EQ(back, sent) << i;
    upload.release();
  }
}

// Nothing waits between: elements that are filled must not reach the array before it.
TEST_F(UploadOnGpu, WhatIsFilledNextChangesNothingOnItsWay) {
  constexpr std::size_t size = 100'000;
  constexpr int arrays = 24;
  cuda::DeviceArray<int> there(arrays * static_cast<std::int64_t>(size));
  cuda::Upload<int> upload;
  upload.wait_for_launches();
  for (int i = 0; i < arrays; ++i) {
    std::ranges::copy(numbers_from(i, size), upload.fill(size).begin());
    upload.send(there.span().subspan(static_cast<std::size_t>(i) * size, size));
  }
  std::vector<int> back(arrays * size);
  std::as_const(there).copy_to(back);
  for (int i = 0; i < arrays; ++i) {
    const auto begin = back.begin() + static_cast<std::ptrdiff_t>(i * size);
    EXPECT_EQ(std::vector<int>(begin, begin + size), numbers_from(i, size)) << i;
  }
}

}  // namespace
