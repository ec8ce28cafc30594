#include "tools/judge/processes/confinement.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "inputs/descriptor.hpp"
#include "tools/cli/options.hpp"
#include "tools/judge/processes/run_directory.hpp"

namespace bombard::judge {

namespace {

namespace filesystem = std::filesystem;

constexpr std::uint64_t reads =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
// Debian 12's linux/landlock.h ends with the second version; the members after that come later.
constexpr std::uint64_t truncate = 1 << 14, device_control = 1 << 15, all_scopes = 3;
constexpr std::uint64_t of_files = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                   LANDLOCK_ACCESS_FS_READ_FILE | truncate | device_control;

long version() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

bool is_below(const filesystem::path& path, const filesystem::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

/// Allows something in a path and below it.
void allow(int rules, const std::string& path, std::uint64_t allowed) {
  std::error_code error;
  const Descriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!filesystem::is_directory(path, error)) allowed &= of_files;
  const landlock_path_beneath_attr rule{allowed, file.number()};
  ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

/// What is in a folder and has one of these beginnings of a name, or, with `but`, none of them.
void add_entries(const char* folder, const std::vector<std::string>& beginnings, bool but,
                 std::vector<std::string>& paths) {
  std::error_code error;
  for (filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    const bool begins = std::ranges::any_of(
        beginnings, [&](const std::string& beginning) { return name.starts_with(beginning); });
    if (begins != but) paths.push_back(entry->path());
  }
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
  Confinement system{.readable = {"/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr",
                                  "/opt", "/nix", "/proc", "/sys", "/run/systemd/resolve"},
                     .writable = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                  "/dev/urandom", "/dev/ptmx", "/dev/pts", "/dev/tty", "/dev/shm",
                                  "/dev/dri", "/dev/kfd", "/dev/infiniband"}};
  add_entries("/etc", {"shadow", "gshadow", "ssh", "ssl", "sudoers"}, true, system.readable);
  add_entries("/dev", {"nvidia"}, false, system.writable);
  // An interpreter or a launcher that is installed elsewhere has its libraries next to it. An
  // absolute path stays the same in each folder.
  std::error_code error;
  for (const std::string& folder : paths_in("PATH")) {
    const filesystem::path found = filesystem::path(folder) / launcher;
    if (launcher.empty() || ::access(found.c_str(), X_OK) != 0) continue;
    for (const auto& path : {found, filesystem::canonical(found, error)}) {
      system.readable.push_back(path.parent_path().parent_path());
    }
    break;
  }
  for (const std::string& folder : paths_in("LD_LIBRARY_PATH")) system.readable.push_back(folder);
  std::erase(system.readable, "/");
  return system;
}

std::string own_folder(const std::string& program, const std::vector<std::string>& others) {
  const filesystem::path folder = filesystem::path(program).parent_path();
  std::error_code error;
  const filesystem::path own = filesystem::canonical(folder, error);
  const char* const home = std::getenv("HOME");
  bool is_shared = bool{error};
  for (const std::string& path : {std::string(home == nullptr ? "/" : home), temporary_directory(),
                                  std::string("/proc/self/exe")}) {
    is_shared = is_shared || is_below(filesystem::weakly_canonical(path, error), own);
  }
  for (const std::string& other : others) {
    is_shared = is_shared || (other != program && is_below(other, folder));
  }
  return is_shared ? program : folder.string();
}

bool confine(const Confinement& confinement) {
  const long known = version();
  const int rights = known >= 5 ? 16 : known >= 3 ? 15 : known >= 2 ? 14 : 13;
  const std::uint64_t files = (std::uint64_t{1} << rights) - 1;
  const std::uint64_t ruleset[] = {files, 0, all_scopes};  // files, networks, scopes
  const std::size_t size = known >= 6 ? sizeof ruleset : sizeof files;
  const Descriptor rules(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, ruleset, size, 0)));
  for (const std::string& path : confinement.readable) {
    allow(rules.number(), path, reads);
  }
  for (const std::string& path : confinement.writable) {
    allow(rules.number(), path, files);
  }
  return rules.is_open() && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_landlock_restrict_self, rules.number(), 0) == 0;
}

}  // namespace bombard::judge
