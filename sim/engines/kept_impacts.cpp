#include "sim/engines/kept_impacts.hpp"

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

void KeptImpacts::add(const StormExtent& found, std::int64_t impacts) {
  ends_.push_back(count() + impacts);
  extent_.add(found);
}

void KeptImpacts::send() {
  upload_.send(slice(impacts_.span(), {sent_, count()}));
  sent_ = count();
}

void KeptImpacts::clear() {
  ends_.clear();
  extent_ = {};
  sent_ = 0;
}

void KeptImpacts::release() {
  clear();
  impacts_ = {};
}

}  // namespace bombard
