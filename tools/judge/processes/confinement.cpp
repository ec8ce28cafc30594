#include "tools/judge/processes/confinement.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "inputs/descriptor.hpp"
#include "tools/cli/options.hpp"

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

/// Allows something in a path and below it.
void allow(int rules, const std::string& path, std::uint64_t allowed) {
  std::error_code error;
  const Descriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!filesystem::is_directory(path, error)) allowed &= of_files;
  const landlock_path_beneath_attr rule{allowed, file.number()};
  ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

/// Restricts this process by Landlock, where this kernel has it.
bool restrict_paths(const Confinement& confinement) {
  const long known = version();
  if (known <= 0) return true;
  const int rights = known >= 5 ? 16 : known >= 3 ? 15 : known >= 2 ? 14 : 13;
  const std::uint64_t files = (std::uint64_t{1} << rights) - 1;
  const std::uint64_t ruleset[] = {files, 0, all_scopes};  // files, networks, scopes
  const std::size_t size = known >= 6 ? sizeof ruleset : sizeof files;
  const Descriptor rules(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, ruleset, size, 0)));
  for (const std::string& path : confinement.readable) allow(rules.number(), path, reads);
  for (const std::string& path : confinement.writable) allow(rules.number(), path, files);
  return rules.is_open() && ::syscall(SYS_landlock_restrict_self, rules.number(), 0) == 0;
}

/// Root becomes a user without privileges who owns root's files.
void drop_capabilities() {
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  ::syscall(SYS_capset, &header, none);
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
  return version() > 0 ? "" : "this kernel has no Landlock (Linux 5.13), or forbids it";
}

Confinement system_for(const std::string& launcher) {
  Confinement system{.readable = {"/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr",
                                  "/opt", "/nix", "/proc", "/sys", "/run/systemd/resolve"},
                     .writable = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                  "/dev/urandom", "/dev/ptmx", "/dev/pts", "/dev/tty", "/dev/shm",
                                  "/dev/dri", "/dev/kfd", "/dev/infiniband"}};
  add_entries("/etc", {"shadow", "gshadow", "ssh", "ssl", "sudoers"}, true, system.readable);
  add_entries("/dev", {"nvidia"}, false, system.writable);
  for (const std::string& folder : paths_in("LD_LIBRARY_PATH")) system.readable.push_back(folder);
  // A launcher that is installed elsewhere has its libraries next to it. An absolute path stays the
  // same in each folder.
  for (const std::string& folder : paths_in("PATH")) {
    std::error_code error;
    const filesystem::path found = filesystem::path(folder) / launcher;
    if (launcher.empty() || ::access(found.c_str(), X_OK) != 0) continue;
    system.readable.push_back(found.parent_path().parent_path());
    system.readable.push_back(filesystem::canonical(found, error).parent_path().parent_path());
  }
  std::erase(system.readable, "/");
  return system;
}

pid_t fork_apart() {
  const std::string user = fmt::format("{0} {0} 1", ::geteuid());
  const std::string group = fmt::format("{0} {0} 1", ::getegid());
  constexpr int apart = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC;
  const auto process = static_cast<pid_t>(::syscall(SYS_clone, apart | SIGCHLD, 0, 0, 0, 0));
  if (process != 0) return process;
  for (const auto& [file, text] :
       {std::pair("setgroups", std::string("deny")), {"uid_map", user}, {"gid_map", group}}) {
    if (!(std::ofstream(fmt::format("/proc/self/{}", file)) << text << std::flush)) ::_exit(1);
  }
  constexpr unsigned long safe = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0 ||
      ::mount("proc", "/proc", "proc", safe, nullptr) != 0 ||
      ::mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") != 0) {
    ::_exit(1);
  }
  // Nobody's terminal is there for programs to write to; launchers make some of their own.
  ::mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666");
  return 0;
}

bool allows_name_spaces(const std::string& directory) {
  const pid_t tries = fork_apart();
  if (tries == 0) ::_exit(::chdir(directory.c_str()) == 0 ? 0 : 1);
  int status = 1;
  return ::waitpid(tries, &status, 0) == tries && status == 0;
}

bool confine(const Confinement& confinement) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !restrict_paths(confinement)) return false;
  drop_capabilities();
  return true;
}

}  // namespace bombard::judge
