#include <vector>

#include "sim/engines/screened/device_storms.hpp"
#include "sim/generation.hpp"
#include "tests/gpu.hpp"

using namespace bombard;

namespace {

class DeviceStormsOnGpu : public GpuTest {};

// As after an exception between two launches: nothing has waited for the device when they are
// cleared.
TEST_F(DeviceStormsOnGpu, StormsAfterClearWaitForLaunchesThatReadThoseBefore) {
  constexpr std::int64_t large = 1 << 29;
  const cuda::DeviceArray<char> from(large);
  cuda::DeviceArray<char> to(large);
  const Storm first = generate_storm(1000, 10'000, 1, 1000, 5, 1);
  const Storm second = generate_storm(1000, 10'000, 1, 1000, 5, 2);
  DeviceStorms storms(1, 20'000);
  storms.add({first.impacts});
  const std::span<const Impact> there = storms.last();
  cuda::DeviceArray<Impact> read(std::ssize(first.impacts));
  for (int i = 0; i < 30; ++i) {
    cuda::copy_on_device(from.span().data(), to.span().data(), large);
  }
  cuda::copy_on_device(there.data(), read.span().data(),
                       static_cast<std::int64_t>(there.size_bytes()));
  storms.clear();
  storms.add({second.impacts});
  std::vector<Impact> found(first.impacts.size());
  read.copy_to(found);
  EXPECT_EQ(found, first.impacts);
}

}  // namespace
