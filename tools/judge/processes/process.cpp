// Three processes make a run, here with time from top to bottom:
//
//     judge                      watcher                          program
//     makes its directory
//     starts the watcher ------> a session of its own;
//     waits, hands SIGTERM on    adopts what loses its parent
//                                starts the program ------------> a session of its own, limits,
//                                looks at it, several times a     confinement, then its words
//                                second                           starts others, prints, ends,
//                                                                 or takes too much
//                                ends it where it must, and
//                                all that it has left behind
//                                tells how it ended, and ends
//     reads that, removes the    (where the judge was killed, it
//     directory                  removes the directory)
//
// Nothing that the judge has inherited reaches the program: the watcher and the program set
// signals, limits and the mask of permissions themselves.

#include "tools/judge/processes/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <exception>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "bombard/errors.hpp"
#include "inputs/descriptor.hpp"
#include "kernels/base/timer.hpp"
#include "sim/processor.hpp"
#include "tools/cli/signals.hpp"
#include "tools/judge/processes/descendants.hpp"
#include "tools/judge/processes/run_directory.hpp"

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

/// A pipe for a text of some words, which has come to its end when no process can write any more.
struct Pipe {
  Pipe() {
    int ends[2];
    required(::pipe2(ends, O_CLOEXEC), "pipe2");
    from = Descriptor(ends[0]);
    to = Descriptor(ends[1]);
  }
  void write(const std::string& text) const {
    static_cast<void>(::write(to.number(), text.data(), text.size()));
  }
  std::string read() const {
    std::string text(4096, '\0');
    const ssize_t count = ::read(from.number(), text.data(), text.size());
    return text.substr(0, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  Descriptor from, to;
};

/// A program with its limits, its output, and the report of its end.
struct Watched {
  const std::vector<std::string>& command;
  const ScratchDirectory& directory;
  const Limits& limits;
  const std::vector<std::string>& variables;
  const std::optional<Confinement>& confinement;
  bool has_own_shared_memory = false;
  Descriptor output = memory_file(), errors = memory_file();
  Pipe report = {};

  /// Which limit the output and the files exceed.
  std::optional<Ending> written_excess() const {
    if (size_of(output) + size_of(errors) > limits.output_bytes) return Ending::too_much_output;
    const bool is_too_large = bytes_below(directory.work(), limits.file_bytes) > limits.file_bytes;
    return is_too_large ? std::optional(Ending::too_large_files) : std::nullopt;
  }

  /// Which limit the program exceeds, with everything that it has started.
  std::optional<Ending> excess() const {
    const std::vector<pid_t> processes = descendants();
    if (processes.size() > limits.processes) return Ending::too_many_processes;
    const std::int64_t in_files = has_own_shared_memory ? bytes_of_shared_memory() : 0;
    if (memory_of(processes) + in_files > limits.memory_bytes) return Ending::too_much_memory;
    return written_excess();
  }

  void tell(const ProcessOutcome& outcome) const {
    report.write(
        fmt::format("{} {} {}", static_cast<int>(outcome.ending), outcome.code, outcome.seconds));
  }

  /// The outcome that was reported, with the text that the program printed.
  ProcessOutcome outcome(const std::string& told) const {
    std::istringstream words(told);
    ProcessOutcome outcome{.ending = Ending::killed, .code = SIGKILL};  // with its watcher
    int ending = static_cast<int>(outcome.ending);
    if (!told.empty() && !(words >> ending >> outcome.code >> outcome.seconds)) {
      throw CannotRun(told);
    }
    outcome.ending = static_cast<Ending>(ending);
    outcome.output = content_of(output, limits.output_bytes);
    outcome.errors = content_of(errors, limits.output_bytes);
    return outcome;
  }
};

// ---- in the new process ----

struct ResourceLimit {
  __rlimit_resource resource;
  const char* name;
  rlim_t wanted;  ///< whatever was inherited
  rlim_t enough;  ///< where this process may not raise it
};

/// As a login shell has them, whatever shell has started the judge.
std::vector<ResourceLimit> resource_limits(const Limits& limits) {
  constexpr rlim_t stack = 8 << 20, files = 1024;
  const auto file_bytes = static_cast<rlim_t>(limits.file_bytes + 1);  // the last shows the excess
  const auto output = static_cast<rlim_t>(limits.output_bytes);        // it is in files, too
  const auto memory = static_cast<rlim_t>(limits.memory_bytes);
  const auto seconds = static_cast<rlim_t>(std::ceil(limits.seconds)) * usable_cores();
  return {{RLIMIT_CORE, "core files (ulimit -c)", 0, 0},
          {RLIMIT_FSIZE, "the size of files (ulimit -f)", file_bytes, output},
          {RLIMIT_STACK, "the stack (ulimit -s)", stack, stack},
          {RLIMIT_NOFILE, "open files (ulimit -n)", files, files / 4},
          {RLIMIT_NPROC, "processes (ulimit -u)", RLIM_INFINITY, limits.processes},
          {RLIMIT_CPU, "processor time (ulimit -t)", RLIM_INFINITY, seconds},
          {RLIMIT_DATA, "data (ulimit -d)", RLIM_INFINITY, memory},
          {RLIMIT_AS, "addresses (ulimit -v)", RLIM_INFINITY, memory}};
}

/// Sets a limit, or as much of it as this process may; for the size of files the program may not
/// raise it again.
void set_limit(const ResourceLimit& limit) {
  rlimit limits{};
  ::getrlimit(limit.resource, &limits);
  const bool is_final = limit.resource == RLIMIT_FSIZE;
  const rlimit wanted{limit.wanted,
                      is_final ? limit.wanted : std::max(limit.wanted, limits.rlim_max)};
  if (::setrlimit(limit.resource, &wanted) == 0) return;
  limits.rlim_cur = std::min(limit.wanted, limits.rlim_max);
  ::setrlimit(limit.resource, &limits);
}

/// Gives signals their usual effect, and lets them come.
void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Leaves nothing in the environment but what programs need to find others, and to compute: the
/// judge may have tokens there. Adds variables.
void set_environment(std::vector<std::string>& variables) {
  constexpr std::string_view needed[] = {
      "PATH=", "HOME=", "LANG=", "LC_",  "LD_LIBRARY_PATH=", "CUDA_VISIBLE_DEVICES=",
      "OMP_",  "OMPI_", "PMIX_", "PRTE_"};
  std::vector<char*> all;
  for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (std::ranges::any_of(needed, [&](auto name) { return text.starts_with(name); })) {
      all.push_back(*variable);
    }
  }
  ::clearenv();
  for (std::string& variable : variables) all.push_back(variable.data());
  for (char* const variable : all) ::putenv(variable);
}

/// Becomes the program. Returns only when it cannot be started.
void become(const Watched& watched) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  reset_signals();
  constexpr mode_t usual_mask = 022;
  ::umask(usual_mask);
  for (const ResourceLimit& limit : resource_limits(watched.limits)) set_limit(limit);
  // When memory runs out, the kernel kills this process and not the one that judges it.
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) static_cast<void>(::write(file, "1000", 4));
  std::vector<std::string> variables = watched.variables;
  // Open MPI shares memory through files: /dev/shm would keep them when its processes are killed.
  for (const char* name :
       {"TMPDIR=", "OMPI_MCA_btl_vader_backing_directory=", "OMPI_MCA_btl_sm_backing_directory="}) {
    variables.push_back(name + watched.directory.work());
  }
  set_environment(variables);
  std::vector<std::string> words = watched.command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 ||
      ::dup2(watched.output.number(), STDOUT_FILENO) < 0 ||
      ::dup2(watched.errors.number(), STDERR_FILENO) < 0 ||
      ::chdir(watched.directory.work().c_str()) != 0) {
    return;
  }
  if (watched.confinement && !confine(*watched.confinement)) return;
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  // execvp() would pass a path that is not a program to a shell.
  const bool is_path = words.front().find('/') != std::string::npos;
  (is_path ? ::execv : ::execvp)(arguments.front(), arguments.data());
}

// ---- in the process that watches it ----

/// Whether this child has ended; it is not waited for.
bool has_ended(pid_t process) {
  siginfo_t ended{};
  return ::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == process;
}

/// The signals that end a wait, and that come only there: a child has ended, or the judge is to.
sigset_t awaited_signals() {
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int signal : {SIGCHLD, SIGTERM}) sigaddset(&awaited, signal);
  return awaited;
}

/// Waits until the process has ended or has to be ended; in the latter case returns why.
std::optional<Ending> wait(pid_t process, const Watched& watched, const WallTimer& timer) {
  // A look takes time from the program, so looks are rare when they take long.
  constexpr double least_pause = 0.05;
  constexpr double most_pause = 0.25;
  constexpr double pause_per_look = 20;
  const sigset_t awaited = awaited_signals();
  for (double next_look = 0.02;;) {
    const double end = std::min(watched.limits.seconds, next_look);
    const auto left = static_cast<std::int64_t>(1e9 * std::max(0.0, end - timer.seconds()));
    const timespec pause{left / 1'000'000'000, left % 1'000'000'000};
    if (::sigtimedwait(&awaited, nullptr, &pause) == SIGTERM) return Ending::out_of_time;
    if (has_ended(process)) return {};
    if (timer.seconds() >= watched.limits.seconds) return Ending::out_of_time;
    if (timer.seconds() < next_look) continue;
    const WallTimer look;
    if (const auto excess = watched.excess()) return excess;
    next_look =
        timer.seconds() + std::clamp(pause_per_look * look.seconds(), least_pause, most_pause);
  }
}

void watch(const Watched& watched) {
  const Pipe failure;  // holds why the program could not be started
  const WallTimer timer;
  const pid_t process = required(::fork(), "fork");
  if (process == 0) {
    become(watched);
    failure.write(fmt::to_string(errno));
    ::_exit(127);
  }
  ProcessOutcome outcome;
  std::optional<Ending> early = wait(process, watched, timer);
  outcome.seconds = timer.seconds();
  ::kill(-process, SIGKILL);  // the whole group at once, so that none of it can go on forking
  const int status = end_descendants(process);
  ::fcntl(failure.from.number(), F_SETFL, O_NONBLOCK);
  const std::string why = failure.read();
  const bool exited = WIFEXITED(status);
  outcome.code = exited ? WEXITSTATUS(status) : WTERMSIG(status);
  if (!early) early = watched.written_excess();
  outcome.ending = early.value_or(exited ? Ending::exited : Ending::killed);
  if (!why.empty()) outcome = {.ending = Ending::not_started, .code = std::stoi(why)};
  watched.tell(outcome);
}

/// Watches a program for its judge, and cleans up for one that is killed.
[[noreturn]] void be_watcher(Watched& watched, pid_t judge) {
  ::setsid();  // a signal to the judge's group leaves somebody to clean up
  reset_signals();
  watched.has_own_shared_memory =
      watched.confinement && separate_shared_memory(watched.directory.work());
  const sigset_t awaited = awaited_signals();
  ::sigprocmask(SIG_BLOCK, &awaited, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // a judge that is killed leaves no program behind
  // A process that loses its parent becomes a child of this process, whatever session or group it
  // has moved to, so none escapes.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  try {
    if (::getppid() == judge) watch(watched);
  } catch (const std::exception& error) {
    watched.report.write(error.what());
  }
  if (::getppid() != judge) remove_tree(watched.directory.root());
  ::_exit(0);
}

cpu_set_t usual_cores() {
  cpu_set_t cores{};
  ::sched_getaffinity(0, sizeof cores, &cores);
  return cores;
}

}  // namespace

void require_room_for_limits(const Limits& limits) {
  const sched_param no_priority{};
  ::sched_setscheduler(0, SCHED_OTHER, &no_priority);
  ::setpriority(PRIO_PROCESS, 0, 0);  // where this may be raised
  for (const ResourceLimit& limit : resource_limits(limits)) {
    rlimit inherited{};
    ::getrlimit(limit.resource, &inherited);
    if (inherited.rlim_max >= limit.enough) {
      inherited.rlim_cur = inherited.rlim_max;  // the judge writes files and opens some, too
      ::setrlimit(limit.resource, &inherited);
      continue;
    }
    const rlimit raised{limit.wanted, limit.wanted};
    if (::setrlimit(limit.resource, &raised) == 0) {
      ::setrlimit(limit.resource, &inherited);
      continue;
    }
    throw CannotRun(fmt::format(
        "this shell has a limit of {} on {}, by which programs would be judged, and which may not "
        "be raised: start the judge without it",
        inherited.rlim_max, limit.name));
  }
}

ProcessOutcome run_process(const std::vector<std::string>& command,
                           const ScratchDirectory& directory, const Limits& limits,
                           const std::vector<std::string>& variables,
                           const std::optional<Confinement>& confinement) {
  constexpr int milliseconds = 50;
  constexpr double longest_end = 60;  // after the program's time; a program may stop its watcher
  // What a program starts comes here if it kills its watcher.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  static const cpu_set_t cores = usual_cores();
  ::sched_setaffinity(0, sizeof cores, &cores);  // an earlier program may have changed that
  Watched watched{command, directory, limits, variables, confinement};
  const WallTimer timer;
  const pid_t judge = ::getpid();
  const pid_t watcher = required(::fork(), "fork");
  if (watcher == 0) be_watcher(watched, judge);
  watched.report.to.close();
  for (pollfd event{watched.report.from.number(), POLLIN, 0}; event.revents == 0;) {
    ::poll(&event, 1, milliseconds);
    const bool is_late = timer.seconds() > limits.seconds + longest_end;
    if (tools::signal_has_come()) ::kill(watcher, SIGTERM);  // it may have come only here
    if (is_late) ::kill(watcher, SIGKILL);
    ::kill(watcher, SIGCONT);
  }
  const std::string told = watched.report.read();
  ::waitpid(watcher, nullptr, 0);
  if (told.empty()) end_descendants(watcher);  // somebody has killed it
  if (tools::signal_has_come()) throw Interrupted();
  return watched.outcome(told);
}

}  // namespace bombard::judge
