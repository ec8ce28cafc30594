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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <exception>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>

#include "bombard/errors.hpp"
#include "inputs/descriptor.hpp"
#include "kernels/base/timer.hpp"
#include "tools/cli/signals.hpp"
#include "tools/judge/processes/descendants.hpp"
#include "tools/judge/processes/run_directory.hpp"

namespace bombard::judge {

namespace {

/// A file in memory that several processes may append to.
Descriptor memory_file() {
  Descriptor file(::memfd_create("output", MFD_CLOEXEC));
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

/// It becomes readable when the process has ended.
Descriptor process_descriptor(pid_t process) {
  // By its number: the C library of Debian 12 declares pidfd_open() only for C.
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
}

/// A program with its limits, its output, and the report of its end.
struct Watched {
  const std::vector<std::string>& command;
  const std::string& directory;
  const Limits& limits;
  const std::vector<std::string>& variables;
  const std::optional<Confinement>& confinement;
  Descriptor output = memory_file(), errors = memory_file(), report = memory_file();

  /// Which limit the output and the files exceed.
  std::optional<Ending> written_excess() const {
    if (size_of(output) + size_of(errors) > limits.output_bytes) return Ending::too_much_output;
    const bool is_too_large = bytes_below(directory, limits.file_bytes) > limits.file_bytes;
    return is_too_large ? std::optional(Ending::too_large_files) : std::nullopt;
  }

  /// Which limit the program exceeds, with everything that it has started.
  std::optional<Ending> excess() const {
    const std::vector<pid_t> processes = descendants();
    if (processes.size() > limits.processes) return Ending::too_many_processes;
    if (memory_of(processes) > limits.memory_bytes) return Ending::too_much_memory;
    return written_excess();
  }

  void tell(const ProcessOutcome& outcome) const {
    const std::string text =
        fmt::format("{} {} {}", static_cast<int>(outcome.ending), outcome.code, outcome.seconds);
    static_cast<void>(::write(report.number(), text.data(), text.size()));
  }

  /// The outcome that was reported, with the text that the program printed.
  ProcessOutcome outcome() const {
    std::istringstream told(content_of(report, size_of(report)));
    ProcessOutcome outcome;
    int ending = 0;
    if (!(told >> ending >> outcome.code >> outcome.seconds)) {
      throw CannotRun("a program could not be started: too many processes, or too little memory");
    }
    outcome.ending = static_cast<Ending>(ending);
    outcome.output = content_of(output, limits.output_bytes);
    outcome.errors = content_of(errors, limits.output_bytes);
    return outcome;
  }
};

// ---- in the new process ----

void limit(__rlimit_resource resource, std::int64_t most) {
  rlimit limits{};
  ::getrlimit(resource, &limits);
  limits.rlim_max = std::min(static_cast<rlim_t>(most), limits.rlim_max);
  limits.rlim_cur = limits.rlim_max;
  ::setrlimit(resource, &limits);
}

/// Becomes the program. Returns only when it cannot be started.
void become(const Watched& watched) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Ignored signals and the mask would be inherited.
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, watched.limits.file_bytes + 1);  // the last byte shows the excess
  // When memory runs out, the kernel kills this process and not the one that judges it.
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) static_cast<void>(::write(file, "1000", 4));
  std::vector<std::string> variables = watched.variables;
  // Open MPI shares memory through files: /dev/shm would keep them when its processes are killed.
  for (const char* name :
       {"TMPDIR=", "OMPI_MCA_btl_vader_backing_directory=", "OMPI_MCA_btl_sm_backing_directory="}) {
    variables.push_back(name + watched.directory);
  }
  for (std::string& variable : variables) ::putenv(variable.data());
  std::vector<std::string> words = watched.command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 ||
      ::dup2(watched.output.number(), STDOUT_FILENO) < 0 ||
      ::dup2(watched.errors.number(), STDERR_FILENO) < 0 ||
      ::chdir(watched.directory.c_str()) != 0) {
    return;
  }
  if (watched.confinement && !confine(*watched.confinement)) return;
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  // execvp() would pass a path that is not a program to a shell.
  const bool is_path = words.front().find('/') != std::string::npos;
  (is_path ? ::execv : ::execvp)(arguments.front(), arguments.data());
}

// ---- in the process that watches it ----

/// Waits until the process has ended or has to be ended; in the latter case returns why.
std::optional<Ending> wait(pid_t process, const Watched& watched, const WallTimer& timer) {
  // A look takes time from the program, so looks are rare when they take long.
  constexpr double least_pause = 0.05;
  constexpr double most_pause = 0.25;
  constexpr double pause_per_look = 20;
  double next_look = 0.02;
  const Descriptor ended = process_descriptor(process);
  if (!ended.is_open()) throw std::system_error(errno, std::generic_category(), "a process");
  for (pollfd event{ended.number(), POLLIN, 0};;) {
    const double left = std::min(watched.limits.seconds, next_look) - timer.seconds();
    ::poll(&event, 1, std::max(0, static_cast<int>(std::ceil(1e3 * left))));
    if (tools::signal_has_come()) return Ending::out_of_time;
    if (event.revents != 0) return {};
    if (timer.seconds() >= watched.limits.seconds) return Ending::out_of_time;
    if (timer.seconds() < next_look) continue;
    const WallTimer look;
    if (const auto excess = watched.excess()) return excess;
    next_look =
        timer.seconds() + std::clamp(pause_per_look * look.seconds(), least_pause, most_pause);
  }
}

void watch(const Watched& watched) {
  const WallTimer timer;
  const pid_t process = ::fork();
  if (process < 0) throw std::system_error(errno, std::generic_category(), "a process");
  if (process == 0) {
    become(watched);
    watched.tell({.ending = Ending::not_started, .code = errno});
    ::_exit(127);
  }
  ProcessOutcome outcome;
  std::optional<Ending> early = wait(process, watched, timer);
  outcome.seconds = timer.seconds();
  ::kill(-process, SIGKILL);  // the whole group at once, so that none of it can go on forking
  const int status = end_descendants(process);
  if (size_of(watched.report) > 0) return;  // it was not started
  const bool exited = WIFEXITED(status);
  outcome.code = exited ? WEXITSTATUS(status) : WTERMSIG(status);
  if (!early) early = watched.written_excess();
  outcome.ending = early.value_or(exited ? Ending::exited : Ending::killed);
  watched.tell(outcome);
}

}  // namespace

ProcessOutcome run_process(const std::vector<std::string>& command, const std::string& directory,
                           const Limits& limits, const std::vector<std::string>& variables,
                           const std::optional<Confinement>& confinement) {
  constexpr int milliseconds = 50;
  const Watched watched{command, directory, limits, variables, confinement};
  const pid_t judge = ::getpid();
  const pid_t watcher = ::fork();
  if (watcher == 0) {
    ::setsid();  // a signal to the judge's group leaves somebody to clean up
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // a judge that is killed leaves no program behind
    // A process that loses its parent becomes a child of this process, whatever session or group it
    // has moved to, so none escapes.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    try {
      watch(watched);
    } catch (const std::exception&) {  // then there is no report
    }
    if (::getppid() != judge) remove_tree(std::filesystem::path(directory).parent_path());
    ::_exit(0);
  }
  const Descriptor watching = process_descriptor(watcher);
  for (pollfd event{watching.number(), POLLIN, 0};
       watcher > 0 && ::waitpid(watcher, nullptr, WNOHANG) == 0;) {
    ::poll(&event, 1, milliseconds);
    if (tools::signal_has_come()) ::kill(watcher, SIGTERM);  // it may have come only here
  }
  if (tools::signal_has_come()) throw Interrupted();
  return watched.outcome();
}

}  // namespace bombard::judge
