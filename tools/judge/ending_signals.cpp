#include "tools/judge/ending_signals.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>

namespace bombard::judge {

namespace {

std::array<int, 2> pipe_of_signals{-1, -1};
std::atomic<int> signal_that_came = 0;

extern "C" void take_note(int signal) {
  const int before = errno;
  signal_that_came = signal;
  static_cast<void>(::write(pipe_of_signals[1], "", 1));
  errno = before;
}

}  // namespace

EndingSignals::EndingSignals() {
  if (::pipe2(pipe_of_signals.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "a pipe");
  }
  signal_that_came = 0;
  struct sigaction noting {};
  noting.sa_handler = take_note;
  noting.sa_flags = SA_RESTART;
  sigfillset(&noting.sa_mask);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    Handled handled{signal, {}};
    ::sigaction(signal, nullptr, &handled.before);
    if (handled.before.sa_handler == SIG_IGN) continue;  // nohup
    ::sigaction(signal, &noting, nullptr);
    handled_.push_back(handled);
  }
}

EndingSignals::~EndingSignals() {
  for (const Handled& handled : handled_) ::sigaction(handled.signal, &handled.before, nullptr);
  for (const int end : pipe_of_signals) ::close(end);
  if (signal_that_came != 0) static_cast<void>(std::raise(signal_that_came));
}

int EndingSignals::descriptor() const {
  return pipe_of_signals[0];
}

}  // namespace bombard::judge
