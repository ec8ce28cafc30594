#include "sim/engines/fast/kept_impacts.hpp"

#include <algorithm>
#include <utility>

#include "kernels/layer/cell_range.hpp"

namespace bombard {

std::span<const Impact> KeptImpacts::from(std::int64_t begin) const {
  return slice(impacts_.span(), {begin, count()});
}

void KeptImpacts::make_room(std::int64_t impacts) {
  if (impacts_.size() >= impacts) return;
  cuda::DeviceArray<Impact> larger(impacts);
  cuda::copy_on_device(impacts_.span().data(), larger.span().data(),
                       count() * static_cast<std::int64_t>(sizeof(Impact)));
  impacts_ = std::move(larger);
  upload_.wait_for_launches();
}

std::span<const Impact> KeptImpacts::add(const StormView& storm) {
  const CellRange places{count(), count() + std::ssize(storm.impacts)};
  ends_.push_back(places.end);
  extent_ = extent_ + storm.extent;
  std::ranges::copy(storm.impacts, upload_.fill(places.count()).begin());
  upload_.send(slice(impacts_.span(), places));
  return from(places.begin);
}

void KeptImpacts::clear() {
  ends_.clear();
  extent_ = {};
}

void KeptImpacts::release() {
  clear();
  impacts_ = {};
}

}  // namespace bombard
