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

}  // namespace
}  // namespace bombard
