#include "tools/cli/signals.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "inputs/mapped_file.hpp"
#include "inputs/partial_file.hpp"

namespace bombard::tools {

namespace {

// In a signal handler nothing is safe that may allocate or lock: no std::string, no printf.
void write_text(const char* text) {
  static_cast<void>(::write(STDERR_FILENO, text, std::strlen(text)));
}

void write_name(const char* name) {
  for (; *name != '\0'; ++name) {
    const char shown = *name >= ' ' && *name <= '~' ? *name : '?';
    static_cast<void>(::write(STDERR_FILENO, &shown, 1));
  }
}

void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  static_cast<void>(std::raise(signal));  // comes when the handler returns
}

extern "C" void clean_up(int signal) {
  remove_partial_files();
  end_by(signal);
}

/// Reading where a mapped file has lost its bytes.
extern "C" void explain_lost_bytes(int signal, siginfo_t* information, void*) {
  remove_partial_files();
  const char* const name = name_of_mapped_file_at(information->si_addr);
  if (name == nullptr) {
    end_by(signal);
    return;
  }
  write_text("bombard: ");
  write_name(name);
  write_text(": became shorter while it was read; leave it alone until the program has ended\n");
  ::_exit(2);
}

/// Whether a signal still does what it does to any program: it is neither ignored nor watched by a
/// sanitizer.
bool is_unhandled(int signal) {
  struct sigaction before {};
  return ::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL;
}

}  // namespace

void handle_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  struct sigaction ending {};
  ending.sa_handler = clean_up;
  sigfillset(&ending.sa_mask);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM,
                           SIGPROF, SIGXCPU, SIGABRT, SIGSEGV, SIGILL, SIGFPE}) {
    if (is_unhandled(signal)) ::sigaction(signal, &ending, nullptr);
  }
  struct sigaction lost_bytes {};
  lost_bytes.sa_sigaction = explain_lost_bytes;
  lost_bytes.sa_flags = SA_SIGINFO;
  sigfillset(&lost_bytes.sa_mask);
  ::sigaction(SIGBUS, &lost_bytes, nullptr);
}

}  // namespace bombard::tools
