#include "kernels/base/host_memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "bombard/errors.hpp"
#include "kernels/base/control_groups.hpp"

namespace bombard {

namespace {

namespace fs = std::filesystem;

/// This much memory is always there: checking for it is not worth the time.
constexpr std::int64_t always_there = std::int64_t{1} << 20;
constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// The bytes, `free` at most, that the control group `group` still allows. File cache counts as
/// used there but is given back on demand: files that are read fill it. The kernel takes 0.1 ms to
/// find its size, so it is read only where it matters.
std::int64_t free_in_group(std::int64_t free, const fs::path& group, int version) {
  const bool first = version == 1;
  const auto limit = number_in(group / (first ? "memory.limit_in_bytes" : "memory.max"));
  const auto usage = number_in(group / (first ? "memory.usage_in_bytes" : "memory.current"));
  if (!limit || !usage || *limit - *usage >= free) return free;
  std::int64_t used = *usage;
  for (const char* kind : {"inactive_file", "active_file"}) {
    const std::string key = first ? std::string("total_") + kind : kind;
    used -= number_in(group / "memory.stat", key).value_or(0);
  }
  return std::min(free, std::max<std::int64_t>(0, *limit - std::max<std::int64_t>(0, used)));
}

/// What `ulimit -v` still allows this process.
std::int64_t free_address_space(const fs::path& top) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur > unlimited) return unlimited;
  const std::int64_t pages = number_in(top / "proc/self/statm").value_or(0);
  return std::max<std::int64_t>(
      0, static_cast<std::int64_t>(limit.rlim_cur) - pages * sysconf(_SC_PAGESIZE));
}

}  // namespace

std::int64_t available_host_memory() {
  const fs::path top = system_root;
  const auto kibibytes = number_in(top / "proc/meminfo", "MemAvailable:");
  std::int64_t free =
      std::min(kibibytes ? *kibibytes * 1024 : sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE),
               free_address_space(top));
  for_each_control_group("memory", [&](const fs::path& group, int version) {
    free = free_in_group(free, group, version);
  });
  return free;
}

std::string gigabytes(std::int64_t bytes) {
  const double number = static_cast<double>(bytes) / 1e9;
  if (bytes == unlimited) return fmt::format("more than {:.0f} GB", number);
  if (bytes < 1'000'000) return fmt::format("{} bytes", bytes);
  return number < 1000 ? fmt::format("{:.3g} GB", number) : fmt::format("{:.0f} GB", number);
}

bool has_host_memory(std::int64_t bytes) {
  return bytes <= always_there || bytes <= available_host_memory();
}

void require_host_memory(std::int64_t bytes, const std::string& what) {
  if (has_host_memory(bytes)) return;
  throw CannotRun(
      fmt::format("{} needs {} of memory, {} are free; take a smaller problem or a larger machine",
                  what, gigabytes(bytes), gigabytes(available_host_memory())));
}

}  // namespace bombard
