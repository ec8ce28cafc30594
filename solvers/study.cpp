#include "solvers/study.hpp"

#include <fmt/format.h>

namespace bombard {

double copy_bandwidth(const StudyRequest& request, StudyFindings& findings) {
  if (!request.gpu) return unknown;
  const double bandwidth = on_device<DeviceLimits>().copy_bandwidth();
  findings.notes.push_back(fmt::format("device copy: {:.0f} GB/s", 1e-9 * bandwidth));
  return bandwidth;
}

}  // namespace bombard
