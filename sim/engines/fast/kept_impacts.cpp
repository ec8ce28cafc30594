#include "sim/engines/fast/kept_impacts.hpp"

#include <utility>

#include "kernels/layer/cell_range.hpp"

namespace bombard {

std::span<const Impact> KeptImpacts::from(std::int64_t begin) const {
  return slice(impacts_.span(), {begin, count()});
}

std::vector<StormView> KeptImpacts::views() const {
  std::vector<StormView> views;
  for (std::size_t i = 0; i < storms(); ++i) {
    views.push_back({slice(impacts_.span(), {begin_of(i), ends_[i]}), extent_});
  }
  return views;
}

void KeptImpacts::make_room(std::int64_t impacts) {
  if (impacts_.size() >= impacts) return;
  cuda::DeviceArray<Impact> larger(impacts);
  cuda::copy_on_device(impacts_.span().data(), larger.span().data(),
                       count() * static_cast<std::int64_t>(sizeof(Impact)));
  impacts_ = std::move(larger);
  upload_.wait_for_launches();
}

void KeptImpacts::add(std::span<const StormView> storms) {
  const std::int64_t before = count();
  for (const StormView& storm : storms) {
    ends_.push_back(count() + static_cast<std::int64_t>(storm.impacts.size()));
    extent_ = extent_ + storm.extent;
  }
  upload_.send(storms, slice(impacts_.span(), {before, count()}));
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
