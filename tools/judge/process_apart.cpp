#include "tools/judge/process_apart.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>

#include "bombard/errors.hpp"
#include "inputs/descriptor.hpp"
#include "tools/cli/signals.hpp"

namespace bombard::judge {

namespace {

/// What the process that watches leaves to the one that asked, in memory that both have.
struct SharedOutcome {
  bool is_complete = false;
  Ending ending = Ending::exited;
  int code = 0;
  double seconds = 0;
  std::size_t output_bytes = 0, error_bytes = 0;
};

class SharedMemory {
 public:
  explicit SharedMemory(std::size_t text_bytes)
      : text_bytes_(text_bytes),
        memory_(::mmap(nullptr, sizeof(SharedOutcome) + text_bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    new (memory_) SharedOutcome;
  }
  ~SharedMemory() { ::munmap(memory_, sizeof(SharedOutcome) + text_bytes_); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  void leave(const ProcessOutcome& outcome) {
    SharedOutcome& shared = *static_cast<SharedOutcome*>(memory_);
    shared.output_bytes = std::min(outcome.output.size(), text_bytes_);
    shared.error_bytes = std::min(outcome.errors.size(), text_bytes_ - shared.output_bytes);
    std::memcpy(texts(), outcome.output.data(), shared.output_bytes);
    std::memcpy(texts() + shared.output_bytes, outcome.errors.data(), shared.error_bytes);
    shared.ending = outcome.ending;
    shared.code = outcome.code;
    shared.seconds = outcome.seconds;
    shared.is_complete = true;
  }

  ProcessOutcome take() const {
    const SharedOutcome& shared = *static_cast<const SharedOutcome*>(memory_);
    if (!shared.is_complete) {
      throw CannotRun("a program could not be started: too many processes, or too little memory");
    }
    return {shared.ending, shared.code, std::string(texts(), shared.output_bytes),
            std::string(texts() + shared.output_bytes, shared.error_bytes), shared.seconds};
  }

 private:
  char* texts() const { return static_cast<char*>(memory_) + sizeof(SharedOutcome); }

  std::size_t text_bytes_;
  void* memory_;
};

[[noreturn]] void watch(const std::vector<std::string>& command, const std::string& directory,
                        const Limits& limits, SharedMemory& shared) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // a judge that is killed leaves no program behind
  try {
    shared.leave(run_process(command, directory, limits, tools::HeldSignals::has_come));
  } catch (const std::exception&) {  // told by what is not there
  }
  ::_exit(0);
}

/// Until the process has ended. A signal that comes here only is sent on.
void wait_for(pid_t process) {
  constexpr int milliseconds = 50;
  const Descriptor descriptor(pidfd_of(process));
  pollfd event{descriptor.number(), POLLIN, 0};
  while (::poll(&event, 1, milliseconds) <= 0) {
    if (tools::HeldSignals::has_come()) ::kill(process, SIGTERM);
  }
  while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

ProcessOutcome run_process_apart(const std::vector<std::string>& command,
                                 const std::string& directory, const Limits& limits) {
  constexpr std::size_t more_than_the_limit = std::size_t{1} << 20;  // when it is found out
  SharedMemory shared(static_cast<std::size_t>(limits.output_bytes) + more_than_the_limit);
  const pid_t process = ::fork();
  if (process == 0) watch(command, directory, limits, shared);
  if (process > 0) wait_for(process);
  return shared.take();
}

}  // namespace bombard::judge
