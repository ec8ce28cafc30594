// Both reductions on a GPU: small layers by hand, and others against the CPU's max-location.

#include <random>
#include <vector>

#include "kernels/device/device_memory.hpp"
#include "kernels/layer/max_location.hpp"
#include "tests/gpu.hpp"
#include "tests/kernels/layer/peaks_by_hand.hpp"

using namespace bombard;

namespace {

class SmallMaxLocation : public GpuTest, public testing::WithParamInterface<Reduction> {
 protected:
  /// The highest peak of a layer among the cells `own`.
  static IndexedValue found(const std::vector<float>& layer, const CellRange& own) {
    const cuda::DeviceArray<float> there{std::span<const float>(layer)};
    cuda::MaxLocation max_location(GetParam(), own.count());
    return max_location(there.span(), own);
  }
};

INSTANTIATE_TEST_SUITE_P(By, SmallMaxLocation, testing::Values(Reduction::cub, Reduction::inhouse),
                         [](const auto& info) {
                           return info.param == Reduction::cub ? "cub" : "inhouse";
                         });

TEST_P(SmallMaxLocation, ByHand) {
  for (const auto& [layer, index, value] : bombard::tests::peaks_by_hand) {
    const IndexedValue peak = found(layer, {0, std::ssize(layer)});
    EXPECT_EQ(peak.index, index) << layer.size() << " cells";
    EXPECT_EQ(peak.value, value) << layer.size() << " cells";
  }
}

// Cells of a margin are no maxima, but they are neighbours.
TEST_P(SmallMaxLocation, OnlyOwnCellsAreChosen) {
  const std::vector<float> layer{0, 9, 0, 5, 6, 7, 0, 3, 0, 9, 0};
  EXPECT_EQ(found(layer, {2, 9}).index, 5);
  EXPECT_EQ(found(layer, {2, 5}).value, 0);
  EXPECT_EQ(found(layer, {7, 8}).index, 7);
  EXPECT_EQ(found(layer, {4, 4}).value, 0);
}

TEST_P(SmallMaxLocation, IsTheCpusWhereverEqualPeaksStand) {
  for (const std::int64_t cells : {31, 32, 33, 257, 4096, 100'003, 3'000'017}) {
    std::mt19937 bits(static_cast<unsigned>(cells));
    std::vector<float> layer(static_cast<std::size_t>(cells));
    for (float& value : layer) value = static_cast<float>(bits() % 1000) - 1;
    const cuda::DeviceArray<float> there{std::span<const float>(layer)};
    cuda::MaxLocation max_location(GetParam(), cells);
    const IndexedValue expected = cpu::max_location(layer);
    for (int again = 0; again < 3; ++again) {  // with the memory that the first time has used
      const IndexedValue peak = max_location(there.span(), {0, cells});
      EXPECT_EQ(peak.index, expected.index) << cells;
      EXPECT_EQ(peak.value, expected.value) << cells;
    }
  }
}

}  // namespace
