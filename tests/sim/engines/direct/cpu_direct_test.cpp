#include "sim/engines/direct/cpu_direct.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/base/stoppable_work.hpp"
#include "tests/sim/engines/layer_of.hpp"

namespace bombard {
namespace {

// Of 1.8e13 tiles even to skip those that are left would take hours.
TEST(CpuDirect, StopsWithinALayerThatNoMemoryHolds) {
  struct Enough {};
  CpuDirect engine(
      {.part = whole_layer(std::int64_t{1} << 56), .storms = 1, .keep_layer = false, .threads = 2});
  const std::vector<Storm> storms{{"one", {{5, 1}}}};
  const StoppableWork work([](double) { throw Enough(); });
  EXPECT_THROW(maxima_of(engine, storms), Enough);
}

// A reach of 8 bytes, and a copy of the impact.
TEST(CpuDirect, AsksForMemoryForImpactsWhereSharesMayEnd) {
  const auto bytes = [](std::int64_t impacts, float threshold) {
    return CpuDirect::bytes({.part = whole_layer(1000),
                             .storms = 1,
                             .rule = {.threshold = threshold},
                             .impacts = impacts});
  };
  EXPECT_EQ(bytes(100, 0.001F) - bytes(0, 0.001F), 0);
  EXPECT_EQ(bytes(100, 300) - bytes(0, 300), 100 * (8 + 16));
}

}  // namespace
}  // namespace bombard
