// Three processes make a run, here with time from top to bottom:
//
//     judge                      watcher                          program
//     makes its directory
//     starts the watcher ------> a session of its own, and
//     waits; looks at the        name spaces; adopts what
//     program several times      loses its parent
//     a second, and ends the     starts the program ------------> a session of its own, limits,
//     watcher where it must      waits for its end or its own     confinement, then its words
//                                ends all that is left of it      starts others, prints, ends,
//     reads how it ended <------ tells how it ended, and ends     or takes too much
//     removes the directory      (where the judge was killed, it
//                                removes the directory)

#include "tools/judge/processes/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/descriptor.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/stoppable_work.hpp"
#include "kernels/base/timer.hpp"
#include "tools/cli/signals.hpp"
#include "tools/judge/processes/descendants.hpp"

namespace bombard::judge {

namespace {

/// The result of a system call that must not fail.
int required(int result, const char* call) {
  if (result >= 0) return result;
  throw CannotRun(fmt::format("no program can be started: {}: {}", call,
                              std::generic_category().message(errno)));
}

/// A file in memory that several processes may append to.
Descriptor memory_file() {
  Descriptor file(required(::memfd_create("output", MFD_CLOEXEC), "memfd_create"));
  ::fcntl(file.number(), F_SETFL, O_APPEND);
  return file;
}

std::int64_t size_of(const Descriptor& file) {
  struct stat status {};
  return ::fstat(file.number(), &status) == 0 ? status.st_size : 0;
}

std::string content_of(const Descriptor& file, std::int64_t most) {
  std::string text(static_cast<std::size_t>(std::min(size_of(file), most)), '\0');
  const ssize_t count = ::pread(file.number(), text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

/// What the judge is told of the program's end.
struct Report {
  int error = 0;         ///< why it was not started
  int status = SIGKILL;  ///< as of waitpid()
  double seconds = 0;
};

/// What the three processes share.
struct Shared {
  Shared() {
    int ends[2];
    required(::pipe2(ends, O_CLOEXEC), "pipe2");
    from = Descriptor(ends[0]);
    to = Descriptor(ends[1]);
  }
  /// False where the judge is gone.
  bool tell(const Report& report) const {
    return ::write(to.number(), &report, sizeof report) == sizeof report;
  }
  Descriptor output = memory_file(), errors = memory_file();
  Descriptor from, to;  ///< of a pipe for reports; the first one counts
};

// ---- in the new processes ----

/// Gives signals their usual effect, and lets them come.
void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Leaves nothing in the environment but what programs need to find others, and to compute: the
/// judge may have tokens there. Adds the process's own variables.
void set_environment(const Process& process) {
  constexpr std::string_view needed[] = {
      "PATH=", "HOME=", "LANG=", "LC_",  "LD_LIBRARY_PATH=", "CUDA_VISIBLE_DEVICES=",
      "OMP_",  "OMPI_", "PMIX_", "PRTE_"};
  Environment all = process.environment;
  // Open MPI shares memory through files: /dev/shm would keep them when its processes are killed.
  for (const char* name :
       {"TMPDIR", "OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory"}) {
    all.emplace(name, process.directory.work());
  }
  for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (std::ranges::none_of(needed, [&](auto name) { return text.starts_with(name); })) continue;
    const std::size_t end = text.find('=');
    all.emplace(text.substr(0, end), text.substr(end + 1));
  }
  ::clearenv();
  for (const auto& [name, value] : all) ::setenv(name.c_str(), value.c_str(), 1);
}

/// Becomes the program. Returns only when it cannot be started.
void become(const Process& process, const Shared& shared) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  reset_signals();
  constexpr mode_t usual_mask = 022;
  ::umask(usual_mask);
  const auto file_bytes = static_cast<rlim_t>(process.limits.file_bytes + 1);
  const rlimit of_files{file_bytes, file_bytes};  // the last byte shows the excess
  ::setrlimit(RLIMIT_FSIZE, &of_files);
  // When memory runs out, the kernel kills this process and not the one that judges it.
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) static_cast<void>(::write(file, "1000", 4));
  set_environment(process);
  std::vector<std::string> words = process.words;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string work = process.directory.work();
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 ||
      ::dup2(shared.output.number(), STDOUT_FILENO) < 0 ||
      ::dup2(shared.errors.number(), STDERR_FILENO) < 0 || ::chdir(work.c_str()) != 0) {
    return;
  }
  if (process.confinement && !confine(*process.confinement)) return;
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  // execvp() would pass a path that is not a program to a shell.
  const bool is_path = words.front().find('/') != std::string::npos;
  (is_path ? ::execv : ::execvp)(arguments.front(), arguments.data());
}

/// Starts the program and waits for its end, or until it is to be ended: by SIGTERM, as when the
/// judge is killed.
[[noreturn]] void watch(const Process& process, Shared& shared) {
  ::setsid();  // a signal to the judge's group leaves somebody to clean up
  reset_signals();
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int signal : {SIGCHLD, SIGTERM}) sigaddset(&awaited, signal);
  ::sigprocmask(SIG_BLOCK, &awaited, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  shared.from.close();
  pollfd judge{shared.to.number(), 0, 0};
  if (::poll(&judge, 1, 0) == 1) ::kill(::getpid(), SIGTERM);  // it was killed before that
  // A process that loses its parent becomes a child of this process, whatever session or group it
  // has moved to, so none escapes.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const WallTimer timer;
  const pid_t program = ::fork();
  if (program == 0) {
    become(process, shared);
    shared.tell({.error = errno});
    ::_exit(127);
  }
  Report report{.error = program < 0 ? errno : 0};
  for (bool is_there = program > 0; is_there && ::sigwaitinfo(&awaited, nullptr) != SIGTERM;) {
    int status = 0;
    for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != program) continue;
      report.status = status;
      is_there = false;
    }
  }
  report.seconds = timer.seconds();
  if (program > 0) ::kill(-program, SIGKILL);  // the whole group, so that none can go on forking
  end_descendants();
  if (!shared.tell(report)) remove_tree(process.directory.root());
  ::_exit(0);
}

// ---- in the judge ----

/// Which limit a program exceeds, with everything that it has started; empty for none.
std::string excess(const Process& process, const Shared& shared, pid_t watcher) {
  const Limits& limits = process.limits;
  const std::vector<pid_t> processes = descendants_of(watcher);
  if (processes.size() > limits.processes) {
    return fmt::format("has more than {} processes", limits.processes);
  }
  std::int64_t bytes = memory_of(processes);
  struct statvfs memory {};  // in files: its own /dev/shm
  const std::string path = fmt::format("/proc/{}/root/dev/shm", watcher);
  if (process.confinement && process.confinement->is_apart &&
      ::statvfs(path.c_str(), &memory) == 0) {
    bytes += static_cast<std::int64_t>((memory.f_blocks - memory.f_bfree) * memory.f_frsize);
  }
  if (bytes > limits.memory_bytes) {
    return fmt::format("takes more than {} of memory", gigabytes(limits.memory_bytes));
  }
  if (size_of(shared.output) + size_of(shared.errors) > limits.output_bytes) {
    return fmt::format("prints more than {} MiB", limits.output_bytes >> 20);
  }
  if (process.directory.bytes() <= limits.file_bytes) return {};
  return fmt::format("writes more than {} MiB into files", limits.file_bytes >> 20);
}

/// Waits until the watcher tells of the end, and sees to it that this comes.
void wait(const Process& process, const Shared& shared, pid_t watcher, ProcessOutcome& outcome) {
  // A look takes time from the program, so looks are rare when they take long.
  constexpr double first_look = 0.02, least_pause = 0.05, most_pause = 0.25, pause_per_look = 20;
  constexpr double longest_end = 60;  // a dying process first frees its memory
  const WallTimer timer;
  const double most_seconds = process.limits.seconds;
  for (double pause = first_look;;) {
    const double left = most_seconds - timer.seconds();
    pollfd event{shared.from.number(), POLLIN, 0};
    ::poll(&event, 1, 1 + static_cast<int>(1000 * (left > 0 ? std::min(pause, left) : pause)));
    if (event.revents != 0) return;
    ::kill(watcher, SIGCONT);  // a program may have stopped it
    const double now = timer.seconds();
    if (now > most_seconds + longest_end) ::kill(watcher, SIGKILL);
    if (outcome.ending == Ending::exited) {
      if (tools::signal_has_come() || now >= most_seconds) {
        outcome.ending = Ending::out_of_time;
        outcome.excess = fmt::format("has not ended after {:g} s", most_seconds);
      } else if (outcome.excess = excess(process, shared, watcher); !outcome.excess.empty()) {
        outcome.ending = Ending::beyond_a_limit;
      }
    }
    if (outcome.ending != Ending::exited) ::kill(watcher, SIGTERM);
    pause = std::clamp(pause_per_look * (timer.seconds() - now), least_pause, most_pause);
  }
}

}  // namespace

void set_usual_state() {
  constexpr rlim_t stack = 8 << 20, files = 1024;
  constexpr std::pair<__rlimit_resource, rlim_t> usual[] = {
      {RLIMIT_CORE, 0},       {RLIMIT_FSIZE, RLIM_INFINITY}, {RLIMIT_NPROC, RLIM_INFINITY},
      {RLIMIT_STACK, stack},  {RLIMIT_CPU, RLIM_INFINITY},   {RLIMIT_DATA, RLIM_INFINITY},
      {RLIMIT_NOFILE, files}, {RLIMIT_AS, RLIM_INFINITY}};
  for (const auto& [resource, wanted] : usual) {
    rlimit limits{};
    ::getrlimit(resource, &limits);
    const rlimit raised{wanted, std::max(wanted, limits.rlim_max)};
    limits.rlim_cur = std::min(wanted, limits.rlim_max);
    if (::setrlimit(resource, &raised) != 0) ::setrlimit(resource, &limits);
  }
  ::setpriority(PRIO_PROCESS, 0, 0);
  constexpr mode_t of_others = 077;
  ::umask(::umask(0) & of_others);
  ::signal(SIGCHLD, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

ProcessOutcome run_process(const Process& process) {
  // What a program starts comes here if it kills its watcher.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  Shared shared;
  const bool is_apart = process.confinement && process.confinement->is_apart;
  const pid_t watcher = required(is_apart ? fork_apart() : ::fork(), "fork");
  if (watcher == 0) watch(process, shared);
  shared.to.close();
  ProcessOutcome outcome;
  wait(process, shared, watcher, outcome);
  Report report;
  const bool is_told = ::read(shared.from.number(), &report, sizeof report) == sizeof report;
  ::waitpid(watcher, nullptr, 0);
  if (!is_told) end_descendants();  // somebody has killed it
  process.directory.restore_rights();
  if (tools::signal_has_come()) throw Stopped{};
  outcome.seconds = report.seconds;
  outcome.output = content_of(shared.output, process.limits.output_bytes);
  outcome.errors = content_of(shared.errors, process.limits.output_bytes);
  if (report.error != 0) return {.ending = Ending::not_started, .code = report.error};
  if (outcome.ending != Ending::exited) return outcome;
  outcome.excess = excess(process, shared, watcher);
  const bool exited = WIFEXITED(report.status);
  outcome.code = exited ? WEXITSTATUS(report.status) : WTERMSIG(report.status);
  if (!exited) outcome.ending = Ending::killed;
  if (!outcome.excess.empty()) outcome.ending = Ending::beyond_a_limit;
  return outcome;
}

}  // namespace bombard::judge
