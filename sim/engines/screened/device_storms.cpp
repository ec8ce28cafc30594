#include "sim/engines/screened/device_storms.hpp"

#include <algorithm>
#include <utility>

#include "kernels/base/profiling_range.hpp"
#include "kernels/layer/cell_range.hpp"

namespace bombard {

void DeviceStorms::add(const StormView& storm) {
  const ProfilingRange range("send impacts");
  const std::int64_t before = ends_.empty() ? 0 : ends_.back();
  const std::int64_t count = before + static_cast<std::int64_t>(storm.impacts.size());
  if (impacts_.size() < count) {
    // At least half as large again, and at first enough for all that are expected, if these are
    // few: so storms that come one by one are rarely copied.
    constexpr std::int64_t few = 1 << 20;
    cuda::DeviceArray<Impact> larger(
        std::max({count, before + before / 2, std::min(expected_, few)}));
    cuda::copy_on_device(impacts_.span().data(), larger.span().data(),
                         before * static_cast<std::int64_t>(sizeof(Impact)));
    impacts_ = std::move(larger);
    upload_.wait_for_launches();
  }
  ends_.push_back(count);
  upload_.send(storm.impacts, slice(impacts_.span(), {before, count}));
}

}  // namespace bombard
