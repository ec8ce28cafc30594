#include "kernels/base/cores.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "bombard/settings.hpp"
#include "kernels/base/control_groups.hpp"

namespace bombard {

int cores_of_process() {
  return omp_get_num_procs();
}

std::optional<double> quota_of_cores() {
  std::optional<double> least;
  const auto look = [&](const std::filesystem::path& group, int version) {
    // Version 2 has "QUOTA PERIOD". Without a limit it has "max 100000", version 1 a quota of -1.
    const auto quota = number_in(group / (version == 2 ? "cpu.max" : "cpu.cfs_quota_us"));
    if (!quota || *quota <= 0) return;
    const auto period = version == 2 ? number_in(group / "cpu.max", std::to_string(*quota))
                                     : number_in(group / "cpu.cfs_period_us");
    if (!period || *period <= 0) return;
    const double cores = static_cast<double>(*quota) / static_cast<double>(*period);
    least = std::min(least.value_or(cores), cores);
  };
  for_each_control_group("cpu", look);
  return least;
}

int usable_cores() {
  const auto quota = quota_of_cores();
  if (!quota || *quota >= cores_of_process()) return cores_of_process();
  return std::max(1, static_cast<int>(std::ceil(*quota)));
}

int default_threads() {
  const int threads = omp_get_max_threads();
  const char* const variable = std::getenv("OMP_NUM_THREADS");
  const bool said = (variable != nullptr && *variable != '\0') || threads != cores_of_process();
  return said && threads <= most_threads ? threads : usable_cores();
}

}  // namespace bombard
