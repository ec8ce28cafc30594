#include "tools/judge/process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/timer.hpp"
#include "tools/cli/signals.hpp"
#include "tools/judge/descendants.hpp"
#include "tools/judge/process_start.hpp"
#include "tools/judge/run_directory.hpp"

namespace bombard::judge {

namespace {

/// Whether there was something in the pipe.
bool read_some(const Descriptor& pipe, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(pipe.number(), buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0;
}

/// To be read from when the process has ended.
Descriptor process_descriptor(pid_t process) {
  // By its number: the C library of Debian 12 declares pidfd_open() for C alone.
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
}

/// A process that runs, its pipes, and what came through them.
class WatchedProcess {
 public:
  WatchedProcess(const std::vector<std::string>& command, const std::string& directory,
                 const Limits& limits, const std::vector<std::string>& variables)
      : limits_(limits),
        directory_(directory),
        started_(start_process(command, directory, limits.file_bytes, variables)) {}

  /// Where watch() did not come to its end, an exception came.
  ~WatchedProcess() {
    if (started_.process <= 0) return;
    ::kill(-started_.process, SIGKILL);
    ::waitpid(started_.process, nullptr, 0);
  }
  WatchedProcess(const WatchedProcess&) = delete;
  WatchedProcess& operator=(const WatchedProcess&) = delete;

  ProcessOutcome watch() {
    std::optional<Ending> ending;
    if (started_.error == 0) ending = wait();
    outcome_.seconds = timer_.seconds();
    end();
    read_all();
    if (ending) outcome_.ending = *ending;
    return std::move(outcome_);
  }

 private:
  /// Until the process has ended, or has to be ended: then it says why.
  std::optional<Ending> wait() {
    const Descriptor process = process_descriptor(started_.process);
    if (!process.is_open()) throw std::system_error(errno, std::generic_category(), "a process");
    std::array<pollfd, 3> events{{{process.number(), POLLIN, 0},
                                  {started_.output.number(), POLLIN, 0},
                                  {started_.errors.number(), POLLIN, 0}}};
    while (true) {
      const double next = std::min({limits_.seconds, next_look_, next_count_});
      const double left = next - timer_.seconds();
      ::poll(events.data(), events.size(), std::max(0, static_cast<int>(std::ceil(1e3 * left))));
      if (tools::HeldSignals::has_come()) return Ending::interrupted;
      if (!read_output(events[1], started_.output, outcome_.output) ||
          !read_output(events[2], started_.errors, outcome_.errors)) {
        outcome_.excess = fmt::format("prints more than {} MiB", limits_.output_bytes >> 20);
        return Ending::over_limit;
      }
      if (events[0].revents != 0) return {};
      if (timer_.seconds() >= limits_.seconds) return Ending::out_of_time;
      if (timer_.seconds() >= next_count_ && forks_wildly()) next_look_ = 0;
      if (timer_.seconds() >= next_look_) {
        look();
        if (!outcome_.excess.empty()) return Ending::over_limit;
        if (stopped_) ::kill(-started_.process, SIGCONT);
        stopped_ = false;
      }
    }
  }

  /// Whether the machine has so many more threads that a look must not wait. The look takes longest
  /// when a program forks without end, so the program is stopped meanwhile: otherwise it would have
  /// taken all numbers of processes before it is known to be over its limit.
  bool forks_wildly() {
    constexpr double pause = 0.02;
    next_count_ = timer_.seconds() + pause;
    const std::int64_t threads = threads_of_machine();
    if (threads <= threads_before_ + static_cast<std::int64_t>(limits_.processes)) return false;
    threads_before_ = threads;
    stopped_ = ::kill(-started_.process, SIGSTOP) == 0;
    return true;
  }

  /// What poll() has found at a pipe; false when there is too much. A pipe at its end is left out
  /// of the next poll().
  bool read_output(pollfd& event, const Descriptor& pipe, std::string& text) const {
    if (event.revents != 0 && !read_some(pipe, text)) event.fd = -1;
    return static_cast<std::int64_t>(outcome_.output.size() + outcome_.errors.size()) <=
           limits_.output_bytes;
  }

  /// Reads the rest in the pipes. No process is left that could write into them.
  void read_all() {
    while (read_some(started_.output, outcome_.output)) {
    }
    while (read_some(started_.errors, outcome_.errors)) {
    }
  }

  /// At memory, processes and files. A look takes time from the program, so that looks are rare
  /// when they take long.
  void look() {
    const double begin = timer_.seconds();
    const std::vector<pid_t> processes = descendants();
    if (processes.size() > limits_.processes) {
      outcome_.excess = fmt::format("has more than {} processes", limits_.processes);
    } else if (memory_of(processes) > limits_.memory_bytes) {
      outcome_.excess =
          fmt::format("takes more than {} of memory", gigabytes(limits_.memory_bytes));
    } else if (bytes_below(directory_, limits_.file_bytes) > limits_.file_bytes) {
      outcome_.excess = too_many_bytes_in_files();
    }
    constexpr double least_pause = 0.05;
    constexpr double most_pause = 0.25;
    constexpr double pause_per_look = 20;
    const double took = timer_.seconds() - begin;
    next_look_ = timer_.seconds() + std::clamp(pause_per_look * took, least_pause, most_pause);
  }

  std::string too_many_bytes_in_files() const {
    return fmt::format("writes more than {} MiB into files", limits_.file_bytes >> 20);
  }

  void end() {
    int status = 0;
    ::kill(-started_.process, SIGKILL);  // all of the group at once: none of it can go on forking
    while (::waitpid(started_.process, &status, 0) < 0 && errno == EINTR) {
    }
    remove_traces(std::exchange(started_.process, -1));
    end_descendants();
    if (started_.error != 0) {
      outcome_.ending = Ending::not_started;
      outcome_.code = started_.error;
      return;
    }
    outcome_.ending = WIFEXITED(status) ? Ending::exited : Ending::killed;
    outcome_.code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    if (outcome_.ending == Ending::exited || outcome_.code != SIGXFSZ) return;
    outcome_.ending = Ending::over_limit;
    outcome_.excess = too_many_bytes_in_files();
  }

  Limits limits_;
  std::string directory_;
  WallTimer timer_;
  StartedProcess started_;
  double next_look_ = 0.02;
  double next_count_ = 0.02;
  std::int64_t threads_before_ = threads_of_machine();
  bool stopped_ = false;
  ProcessOutcome outcome_;
};

/// Writes the outcome into a file, an array in CBOR. Where this is not possible, the file tells
/// nothing.
[[noreturn]] void watch(const std::vector<std::string>& command, const std::string& directory,
                        const Limits& limits, const std::vector<std::string>& variables,
                        const std::string& report) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // a judge that is killed leaves no program behind
  adopt_orphans();
  try {
    const ProcessOutcome is = WatchedProcess(command, directory, limits, variables).watch();
    std::ofstream file(report, std::ios::binary);
    nlohmann::json::to_cbor({is.ending, is.code, is.seconds, is.output, is.errors, is.excess},
                            file);
  } catch (const std::exception&) {
  }
  ::_exit(0);
}

}  // namespace

ProcessOutcome run_process(const std::vector<std::string>& command, const std::string& directory,
                           const Limits& limits, const std::vector<std::string>& variables) {
  constexpr int milliseconds = 50;
  const CannotRun too_little(
      "a program could not be started: too many processes, or too little memory");
  const Descriptor memory(::memfd_create("outcome", MFD_CLOEXEC));
  const std::string report = fmt::format("/proc/self/fd/{}", memory.number());
  const pid_t watcher = ::fork();
  if (watcher == 0) watch(command, directory, limits, variables, report);
  if (watcher < 0) throw too_little;
  const Descriptor watching = process_descriptor(watcher);
  for (pollfd event{watching.number(), POLLIN, 0}; ::waitpid(watcher, nullptr, WNOHANG) == 0;) {
    ::poll(&event, 1, milliseconds);
    if (tools::HeldSignals::has_come()) ::kill(watcher, SIGTERM);  // it may have come here only
  }
  try {
    std::ifstream file(report, std::ios::binary);
    const nlohmann::json is = nlohmann::json::from_cbor(file);
    return {is.at(0), is.at(1), is.at(2), is.at(3), is.at(4), is.at(5)};
  } catch (const nlohmann::json::exception&) {
    throw too_little;
  }
}

}  // namespace bombard::judge
