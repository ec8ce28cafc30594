#include "kernels/base/host_memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "bombard/errors.hpp"

namespace bombard {

namespace {

namespace fs = std::filesystem;

/// Memory that is always there, so that asking for it is not worth the time.
constexpr std::int64_t always_there = std::int64_t{1} << 20;
constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// The number behind `key` among the words of a file, or its first word if no key is given; none
/// for a missing file or a word such as "max".
std::optional<std::int64_t> number_in(const fs::path& file, const std::string& key = {}) {
  std::ifstream in(file);
  for (std::string word; word != key && in >> word;) {
  }
  std::int64_t value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

/// The bytes, `free` at most, that the control group `path` and the groups above it, up to `top`,
/// still allow. File cache counts as used there but is given back on demand: an input that is
/// mapped fills it. How much it is takes the kernel 0.1 ms, so this is asked only where it matters.
std::int64_t free_in_group(std::int64_t free, const fs::path& top, const fs::path& path,
                           const char* limit_file, const char* usage_file,
                           const std::string& prefix_of_sums) {
  for (fs::path group = top / path.relative_path();; group = group.parent_path()) {
    const auto limit = number_in(group / limit_file);
    const auto usage = number_in(group / usage_file);
    if (limit && usage && *limit - *usage < free) {
      std::int64_t used = *usage;
      for (const char* kind : {"inactive_file", "active_file"}) {
        used -= number_in(group / "memory.stat", prefix_of_sums + kind).value_or(0);
      }
      free = std::min(free, std::max<std::int64_t>(0, *limit - std::max<std::int64_t>(0, used)));
    }
    if (group == top || group == group.parent_path()) return free;
  }
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

std::string system_root = "/";

std::int64_t available_host_memory() {
  const fs::path top = system_root;
  const auto kibibytes = number_in(top / "proc/meminfo", "MemAvailable:");
  std::int64_t free =
      std::min(kibibytes ? *kibibytes * 1024 : sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE),
               free_address_space(top));
  // A line is "0::/path" for version 2 and "N:memory:/path" for version 1. Inside a container the
  // path may be the host's and missing here: the walk upwards then still meets the container's own
  // top.
  std::ifstream groups(top / "proc/self/cgroup");
  const std::string version_2 = "0::", version_1 = ":memory:";
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with(version_2)) {
      free = free_in_group(free, top / "sys/fs/cgroup", line.substr(version_2.size()), "memory.max",
                           "memory.current", "");
    } else if (const auto at = line.find(version_1); at != std::string::npos) {
      free = free_in_group(free, top / "sys/fs/cgroup/memory", line.substr(at + version_1.size()),
                           "memory.limit_in_bytes", "memory.usage_in_bytes", "total_");
    }
  }
  return free;
}

std::string gigabytes(std::int64_t bytes) {
  const double number = static_cast<double>(bytes) / 1e9;
  if (bytes == unlimited) return fmt::format("more than {:.0f} GB", number);
  if (bytes < 1'000'000) return fmt::format("{} bytes", bytes);
  return number < 1000 ? fmt::format("{:.3g} GB", number) : fmt::format("{:.0f} GB", number);
}

void require_host_memory(std::int64_t bytes, const std::string& what) {
  if (bytes <= always_there) return;
  const std::int64_t free = available_host_memory();
  if (bytes <= free) return;
  throw CannotRun(
      fmt::format("{} needs {} of memory, {} are free; take a smaller problem or a larger machine",
                  what, gigabytes(bytes), gigabytes(free)));
}

}  // namespace bombard
