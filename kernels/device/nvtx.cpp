// Profiling ranges on Nsight's timeline, in the domain "bombard".

#include <nvtx3/nvtx3.hpp>

#include "kernels/base/profiling_range.hpp"

namespace bombard {

namespace {

struct BombardDomain {
  static constexpr const char* name = "bombard";
};

void begin(const char* name) {
  const nvtx3::event_attributes attributes{name};
  nvtxDomainRangePushEx(nvtx3::domain::get<BombardDomain>(), attributes.get());
}

void end() {
  nvtxDomainRangePop(nvtx3::domain::get<BombardDomain>());
}

const Registered nvtx{Profiler{begin, end}};

}  // namespace

}  // namespace bombard
