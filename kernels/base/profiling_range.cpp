#include "kernels/base/profiling_range.hpp"

#include <nvtx3/nvtx3.hpp>

namespace bombard {

namespace {

struct BombardDomain {
  static constexpr const char* name = "bombard";
};

}  // namespace

ProfilingRange::ProfilingRange(const char* name) {
  const nvtx3::event_attributes attributes{name};
  nvtxDomainRangePushEx(nvtx3::domain::get<BombardDomain>(), attributes.get());
}

ProfilingRange::~ProfilingRange() {
  nvtxDomainRangePop(nvtx3::domain::get<BombardDomain>());
}

}  // namespace bombard
