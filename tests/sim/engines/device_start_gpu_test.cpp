#include "sim/engines/engines.hpp"
#include "tests/gpu.hpp"

using namespace bombard;

#include "tests/sim/engines/layer_of.hpp"

namespace {

class DeviceStartOnGpu : public GpuTest {};

// Every engine, with both laws: the kernels that it names can be loaded, and it computes
// afterwards.
TEST_F(DeviceStartOnGpu, LoadsWhatTheEngineLaunches) {
  Rule squares;
  squares.attenuation = {2};
  for (const EngineEntry& entry : engines()) {
    if (!entry.on_device) continue;
    for (const Rule& rule : {Rule{}, squares}) {
      entry.start_device(0, rule, 5);
      const auto engine = entry.make({.part = whole_layer(5), .storms = 1, .rule = rule});
      const std::vector<Storm> storms{{"one", {{2, 5}}}};
      EXPECT_EQ(maxima_of(*engine, storms).at(0).position, 2) << entry.name;
    }
  }
}

}  // namespace
