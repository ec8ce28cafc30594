// Profiling ranges on Nsight's timeline, in the domain "bombard".

#include <nvtx3/nvToolsExt.h>

#include "kernels/base/profiling_range.hpp"

namespace bombard {

namespace {

nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t created = nvtxDomainCreateA("bombard");
  return created;
}

void begin(const char* name) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &attributes);
}

void end() {
  nvtxDomainRangePop(domain());
}

const Registered nvtx{Profiler{begin, end}};

}  // namespace

}  // namespace bombard
