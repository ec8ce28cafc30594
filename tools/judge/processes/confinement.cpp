#include "tools/judge/processes/confinement.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "inputs/descriptor.hpp"
#include "tools/cli/options.hpp"
#include "tools/judge/processes/run_directory.hpp"

namespace bombard::judge {

namespace {

namespace filesystem = std::filesystem;

// linux/landlock.h as of version 7: Debian 12 has an older one, which lacks the members for TCP.
struct __attribute__((packed)) PathRule {
  std::uint64_t allowed;
  std::int32_t file;
};
constexpr int path_rule = 1, port_rule = 2;
constexpr std::uint64_t execute = 1, write_file = 1 << 1, read_file = 1 << 2,
                        read_directory = 1 << 3, truncate = 1 << 14, device_control = 1 << 15,
                        connect_tcp = 1 << 1;
constexpr std::uint64_t of_files = execute | write_file | read_file | truncate | device_control;

long version() {
  constexpr int asks_for_version = 1;
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, asks_for_version);
}

bool is_below(const filesystem::path& path, const filesystem::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

/// Allows something in a path and below it, except what is hidden there.
void allow(int rules, const filesystem::path& path, std::uint64_t allowed,
           const std::vector<filesystem::path>& hidden) {
  if (std::ranges::any_of(hidden, [&](const auto& one) { return is_below(path, one); })) return;
  const bool hides =
      std::ranges::any_of(hidden, [&](const auto& one) { return is_below(one, path); });
  std::error_code error;
  if (hides) {
    for (filesystem::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error)) {
      // A link needs no right, and its target has its own.
      if (!entry->is_symlink(error)) allow(rules, entry->path(), allowed, hidden);
    }
    allowed &= read_directory;
  }
  const Descriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!filesystem::is_directory(path, error)) allowed &= of_files;
  const PathRule rule{allowed, file.number()};
  ::syscall(SYS_landlock_add_rule, rules, path_rule, &rule, 0);
}

/// The paths that match a pattern: glob(7).
void add_matches(const std::string& pattern, std::vector<std::string>& paths) {
  glob_t found{};
  if (::glob(pattern.c_str(), GLOB_BRACE, nullptr, &found) == 0) {
    paths.insert(paths.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
}

std::vector<std::string> paths_in(const char* variable) {
  const char* const text = std::getenv(variable);
  std::vector<std::string> paths = tools::parts_of(text == nullptr ? "" : text, ':');
  std::erase_if(paths, [](const std::string& path) { return !path.starts_with('/'); });
  return paths;
}

}  // namespace

std::string no_confinement_because() {
  if (version() > 0) return {};
  return errno == EOPNOTSUPP
             ? "Landlock is switched off in this kernel"
             : "this kernel has no Landlock (Linux 5.13), or a container forbids it";
}

Confinement system_for(const std::string& launcher) {
  Confinement system{
      .readable = {"/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr", "/opt", "/etc",
                   "/nix", "/proc", "/sys", "/run/systemd/resolve"},
      .writable = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
                   "/dev/ptmx", "/dev/pts", "/dev/tty", "/dev/shm", "/dev/dri", "/dev/kfd",
                   "/dev/infiniband"},
      .hidden = {"/etc/shadow", "/etc/gshadow", "/etc/ssh", "/etc/ssl/private", "/etc/sudoers"}};
  add_matches("/dev/nvidia*", system.writable);
  // The path from which this program was started, without /proc, too.
  const filesystem::path self = filesystem::weakly_canonical(
      reinterpret_cast<const char*>(::getauxval(AT_EXECFN)));  // NOLINT(performance-no-int-to-ptr)
  add_matches("{" + self.parent_path().parent_path().string() +
                  ",/usr,/usr/local}/{bin/bombard*,lib*/libbombard*,lib*/*/libbombard*,"
                  "lib/python3*/*-packages/bombard*}",
              system.hidden);
  system.hidden.push_back(self.string());
  // An interpreter or a launcher that is installed elsewhere has its libraries next to it. An
  // absolute path stays the same in each folder.
  for (const std::string& folder : paths_in("PATH")) {
    const filesystem::path found = filesystem::path(folder) / launcher;
    if (launcher.empty() || ::access(found.c_str(), X_OK) != 0) continue;
    for (const auto& path : {found, filesystem::canonical(found)}) {
      system.readable.push_back(path.parent_path().parent_path().string());
    }
    break;
  }
  for (const std::string& folder : paths_in("LD_LIBRARY_PATH")) system.readable.push_back(folder);
  std::erase(system.readable, "/");
  return system;
}

std::string own_folder(const std::string& program) {
  std::error_code error;
  const filesystem::path path = filesystem::canonical(program, error);
  const char* const home = std::getenv("HOME");
  for (const filesystem::path& shared :
       {filesystem::path(home == nullptr ? "/" : home), filesystem::path(temporary_directory())}) {
    if (is_below(filesystem::weakly_canonical(shared, error), path.parent_path())) return path;
  }
  return path.parent_path();
}

bool confine(const Confinement& confinement) {
  const long known = version();
  const int rights = known >= 5 ? 16 : known >= 3 ? 15 : known >= 2 ? 14 : 13;
  const std::uint64_t files = (std::uint64_t{1} << rights) - 1;
  const std::uint64_t ruleset[] = {files, connect_tcp, 3};  // the last one: all scopes
  const std::size_t size = known >= 6 ? 24 : known >= 4 ? 16 : 8;
  const Descriptor rules(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, ruleset, size, 0)));
  std::error_code error;
  std::vector<filesystem::path> hidden;
  for (const std::string& path : confinement.hidden) {
    hidden.push_back(filesystem::weakly_canonical(path, error));
  }
  const std::uint64_t reads = execute | read_file | read_directory;
  for (const std::string& path : confinement.readable) {
    allow(rules.number(), filesystem::weakly_canonical(path, error), reads, hidden);
  }
  for (const std::string& path : confinement.writable) {
    allow(rules.number(), filesystem::weakly_canonical(path, error), files, {});
  }
  std::ifstream range("/proc/sys/net/ipv4/ip_local_port_range");
  std::uint64_t first = 0, last = 0;
  if (confinement.may_connect && known >= 4 && range >> first >> last) {
    for (std::uint64_t port = first; port <= last; ++port) {
      const std::uint64_t rule[] = {connect_tcp, port};
      ::syscall(SYS_landlock_add_rule, rules.number(), port_rule, rule, 0);
    }
  }
  return rules.is_open() && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_landlock_restrict_self, rules.number(), 0) == 0;
}

}  // namespace bombard::judge
