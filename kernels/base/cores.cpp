#include "kernels/base/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "bombard/settings.hpp"
#include "kernels/base/control_groups.hpp"

namespace bombard {

int cores_of_process() {
  // The kernel refuses a set with room for fewer cores than it could ever have.
  for (std::size_t sets = 1; sets <= 64; sets *= 2) {
    std::vector<cpu_set_t> cores(sets);
    const std::size_t bytes = sets * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, cores.data()) == 0) return CPU_COUNT_S(bytes, cores.data());
  }
  return 1;
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

namespace {
std::atomic<int> set_threads = 0;
}

void set_default_threads(int threads) {
  set_threads = threads;
}

int default_threads() {
  if (set_threads > 0) return set_threads;
  const char* const variable = std::getenv("OMP_NUM_THREADS");
  const int said = variable == nullptr ? 0 : std::atoi(variable);
  return said >= 1 && said <= most_threads ? said : usable_cores();
}

}  // namespace bombard
