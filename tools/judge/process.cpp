#include "tools/judge/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <exception>
#include <new>
#include <optional>
#include <system_error>

#include "bombard/errors.hpp"
#include "inputs/descriptor.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/timer.hpp"
#include "tools/cli/signals.hpp"
#include "tools/judge/descendants.hpp"
#include "tools/judge/process_start.hpp"
#include "tools/judge/run_directory.hpp"

namespace bombard::judge {

namespace {

/// What the process that watches a program tells, in memory that both processes share.
struct Report {
  bool is_whole = false;
  Ending ending = Ending::exited;
  int code = 0, start_error = 0;
  double seconds = 0;
  std::array<char, 80> excess{};
};

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

/// To be read from when the process has ended.
Descriptor process_descriptor(pid_t process) {
  // By its number: the C library of Debian 12 declares pidfd_open() for C alone.
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
}

/// A program, and what it may take.
struct Watched {
  const std::vector<std::string>& command;
  const std::string& directory;
  const Limits& limits;
  const std::vector<std::string>& variables;
  Descriptor output = memory_file(), errors = memory_file();

  bool prints_too_much() const { return size_of(output) + size_of(errors) > limits.output_bytes; }

  /// What the program and all that it has started take too much of; empty when they do not.
  std::string excess() const {
    if (prints_too_much()) {
      return fmt::format("prints more than {} MiB", limits.output_bytes >> 20);
    }
    const std::vector<pid_t> processes = descendants();
    if (processes.size() > limits.processes) {
      return fmt::format("has more than {} processes", limits.processes);
    }
    if (memory_of(processes) > limits.memory_bytes) {
      return fmt::format("takes more than {} of memory", gigabytes(limits.memory_bytes));
    }
    return bytes_below(directory, limits.file_bytes) > limits.file_bytes ? too_large_files() : "";
  }

  std::string too_large_files() const {
    return fmt::format("writes more than {} MiB into files", limits.file_bytes >> 20);
  }
};

/// Until the process has ended, or has to be ended: then it says why, an excess into `excess`.
std::optional<Ending> wait(pid_t process, const Watched& watched, const WallTimer& timer,
                           std::string& excess) {
  // A look takes time from the program, so that looks are rare when they take long.
  constexpr double least_pause = 0.05;
  constexpr double most_pause = 0.25;
  constexpr double pause_per_look = 20;
  double next_look = 0.02;
  const Descriptor ended = process_descriptor(process);
  if (!ended.is_open()) throw std::system_error(errno, std::generic_category(), "a process");
  for (pollfd event{ended.number(), POLLIN, 0};;) {
    const double left = std::min(watched.limits.seconds, next_look) - timer.seconds();
    ::poll(&event, 1, std::max(0, static_cast<int>(std::ceil(1e3 * left))));
    if (tools::HeldSignals::has_come()) return Ending::interrupted;
    if (event.revents != 0) return {};
    if (timer.seconds() >= watched.limits.seconds) return Ending::out_of_time;
    if (timer.seconds() < next_look) continue;
    const WallTimer look;
    excess = watched.excess();
    if (!excess.empty()) return Ending::over_limit;
    next_look =
        timer.seconds() + std::clamp(pause_per_look * look.seconds(), least_pause, most_pause);
  }
}

void watch(const Watched& watched, Report& report) {
  const WallTimer timer;
  const pid_t process = start_process(watched.command, watched.directory, watched.limits.file_bytes,
                                      watched.variables, watched.output.number(),
                                      watched.errors.number(), report.start_error);
  std::string excess;
  const std::optional<Ending> early = wait(process, watched, timer, excess);
  report.seconds = timer.seconds();
  ::kill(-process, SIGKILL);  // all of the group at once: none of it can go on forking
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  remove_traces(process);
  end_descendants();
  const bool exited = WIFEXITED(status);
  report.code = exited ? WEXITSTATUS(status) : WTERMSIG(status);
  report.ending = early.value_or(exited ? Ending::exited : Ending::killed);
  if (report.start_error != 0) {
    report.ending = Ending::not_started;
    report.code = report.start_error;
  } else if (!early && watched.prints_too_much()) {
    excess = watched.excess();
  } else if (!early && !exited && report.code == SIGXFSZ) {
    excess = watched.too_large_files();
  }
  if (!excess.empty()) report.ending = Ending::over_limit;
  excess.copy(report.excess.data(), report.excess.size() - 1);
  report.is_whole = true;
}

}  // namespace

ProcessOutcome run_process(const std::vector<std::string>& command, const std::string& directory,
                           const Limits& limits, const std::vector<std::string>& variables) {
  constexpr int milliseconds = 50;
  const Watched watched{command, directory, limits, variables};
  void* const shared =
      ::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const pid_t watcher = shared == MAP_FAILED ? -1 : ::fork();
  if (watcher == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // a judge that is killed leaves no program behind
    adopt_orphans();
    try {
      watch(watched, *new (shared) Report);
    } catch (const std::exception&) {  // the report is not whole
    }
    ::_exit(0);
  }
  Report report;
  if (watcher > 0) {
    const Descriptor watching = process_descriptor(watcher);
    for (pollfd event{watching.number(), POLLIN, 0}; ::waitpid(watcher, nullptr, WNOHANG) == 0;) {
      ::poll(&event, 1, milliseconds);
      if (tools::HeldSignals::has_come()) ::kill(watcher, SIGTERM);  // it may have come here only
    }
    report = *static_cast<const Report*>(shared);
    ::munmap(shared, sizeof(Report));
  }
  if (!report.is_whole) {
    throw CannotRun("a program could not be started: too many processes, or too little memory");
  }
  return {report.ending,
          report.code,
          report.seconds,
          content_of(watched.output, limits.output_bytes),
          content_of(watched.errors, limits.output_bytes),
          report.excess.data()};
}

}  // namespace bombard::judge
