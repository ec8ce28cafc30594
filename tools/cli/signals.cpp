#include "tools/cli/signals.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>

#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

// Without a lock, so that a handler may read them.
std::atomic<int> left = 0;         // signals that are still held
std::atomic<int> came_signal = 0;  // while a HeldSignals lives
std::atomic<const char*> said = "";

// `timeout` sends its signal to the program and to its group, mpirun and a terminal may both send
// one: what comes within this time is the same signal.
constexpr std::chrono::milliseconds same_signal{500};
std::atomic<std::chrono::steady_clock::time_point> came_at;

// In a signal handler nothing that may allocate or lock is safe: no std::string, no printf.
extern "C" void stop(int signal) {
  const auto now = std::chrono::steady_clock::now();
  if (came_signal != 0 && now - came_at.load() < same_signal) return;
  erase_progress();
  if (left <= 0) end_by(signal);
  --left;
  came_at = now;
  came_signal = signal;
  static_cast<void>(::write(STDERR_FILENO, said, std::strlen(said)));
}

/// Whether a signal still has its usual effect on a program: it is neither ignored nor watched by a
/// sanitizer.
bool is_unhandled(int signal) {
  struct sigaction before {};
  return ::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL;
}

}  // namespace

void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t it;
  sigemptyset(&it);
  sigaddset(&it, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &it, nullptr);
  static_cast<void>(std::raise(signal));
  ::_exit(128 + signal);
}

HeldSignals::HeldSignals(int most, const char* line) {
  came_signal = 0;
  said = line;
  left = most;
}

HeldSignals::~HeldSignals() {
  left = 0;
}

bool signal_has_come() {
  return came_signal != 0;
}

void end_by_held_signal() {
  if (came_signal != 0) end_by(came_signal);
}

void handle_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  struct sigaction ending {};
  ending.sa_handler = stop;
  ending.sa_flags = SA_RESTART;  // after the handler returns, an interrupted read goes on
  sigfillset(&ending.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) {
    if (is_unhandled(signal)) ::sigaction(signal, &ending, nullptr);
  }
}

}  // namespace bombard::tools
