#include "tools/judge/processes/confinement.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

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

constexpr std::uint32_t architectures[] = {AUDIT_ARCH_X86_64, AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64};

/// A system call by which a program could spoil what others need, and that Landlock does not know.
/// If an argument has other bits than wanted there, the call has no effect.
struct RestrictedCall {
  std::uint32_t numbers[std::size(architectures)];
  std::uint32_t argument, bits, wanted;
  int error;
};

/// A file keeps its owner's rights: a chmod() that would take some only says that it is done, for
/// makefiles say `install -m 644`. There are no extended attributes, which may hold such rights.
/// Limits and priorities change for the calling process alone, not for the judge.
constexpr std::uint32_t no_call = ~0U, any = ~0U, owner = 0700;
constexpr RestrictedCall restricted_calls[] = {
    {{90, 15, no_call}, 1, owner, owner, 0},  // chmod
    {{91, 94, 52}, 1, owner, owner, 0},       // fchmod
    {{268, 306, 53}, 2, owner, owner, 0},     // fchmodat
    {{452, 452, 452}, 2, owner, owner, 0},    // fchmodat2
    {{188, 226, 5}, 0, 0, 1, EOPNOTSUPP},     // setxattr
    {{189, 227, 6}, 0, 0, 1, EOPNOTSUPP},     // lsetxattr
    {{190, 228, 7}, 0, 0, 1, EOPNOTSUPP},     // fsetxattr
    {{463, 463, 463}, 0, 0, 1, EOPNOTSUPP},   // setxattrat
    {{425, 425, 425}, 0, 0, 1, ENOSYS},       // io_uring_setup, which can set them, too
    {{302, 340, 261}, 0, any, 0, EPERM},      // prlimit64: of which process
    {{141, 97, 140}, 0, any, 0, EPERM},       // setpriority: of a process, a group or a user
    {{141, 97, 140}, 1, any, 0, EPERM},       // and of which one
    {{144, 156, 119}, 0, any, 0, EPERM},      // sched_setscheduler
    {{314, 351, 274}, 0, any, 0, EPERM},      // sched_setattr
};

void restrict_calls() {
  constexpr std::uint32_t without_mark_of_x32 = ~0x40000000U;
  constexpr std::uint16_t load = BPF_LD | BPF_W | BPF_ABS, and_with = BPF_ALU | BPF_AND | BPF_K,
                          is_equal = BPF_JMP | BPF_JEQ | BPF_K, answer = BPF_RET | BPF_K;
  std::vector<sock_filter> filter;
  for (const RestrictedCall& call : restricted_calls) {
    for (std::size_t i = 0; i < std::size(architectures); ++i) {
      const auto argument = offsetof(seccomp_data, args) + sizeof(std::uint64_t) * call.argument;
      filter.insert(filter.end(),
                    {{load, 0, 0, offsetof(seccomp_data, arch)},
                     {is_equal, 0, 7, architectures[i]},  // otherwise to the next call: 7, 4, 1
                     {load, 0, 0, offsetof(seccomp_data, nr)},
                     {and_with, 0, 0, without_mark_of_x32},
                     {is_equal, 0, 4, call.numbers[i]},
                     {load, 0, 0, static_cast<std::uint32_t>(argument)},
                     {and_with, 0, 0, call.bits},
                     {is_equal, 1, 0, call.wanted},
                     {answer, 0, 0, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(call.error)}});
    }
  }
  filter.push_back({answer, 0, 0, SECCOMP_RET_ALLOW});
  const sock_fprog program{static_cast<std::uint16_t>(filter.size()), filter.data()};
  ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
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

/// Without privileges it takes a name space of users, in which this user stays who he is.
bool leave_what_is_shared() {
  const std::string user = fmt::format("{0} {0} 1", ::geteuid());
  const std::string group = fmt::format("{0} {0} 1", ::getegid());
  if (::unshare(CLONE_NEWNS | CLONE_NEWIPC) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC) != 0) return false;
    for (const auto& [file, text] :
         {std::pair("setgroups", std::string("deny")), {"uid_map", user}, {"gid_map", group}}) {
      if (!(std::ofstream(fmt::format("/proc/self/{}", file)) << text << std::flush)) return false;
    }
  }
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return false;
  // Nobody's terminal is there for programs to write to; launchers make some of their own.
  ::mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666");
  return ::mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") == 0;
}

}  // namespace

bool separate_shared_memory(const std::string& directory) {
  if (is_below(directory, "/dev/shm")) return false;
  const pid_t tries = ::fork();  // for there is no way back
  if (tries == 0) ::_exit(leave_what_is_shared() ? 0 : 1);
  int status = 1;
  ::waitpid(tries, &status, 0);
  return status == 0 && leave_what_is_shared();
}

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
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !restrict_paths(confinement)) return false;
  restrict_calls();
  drop_capabilities();
  return true;
}

}  // namespace bombard::judge
