#pragma once

namespace bombard::tools {

/// The effect of signals on the program: SIGINT and SIGTERM end it, or are held; a pipe without a
/// reader and a limit on the size of files do not end it but make writing fail, so that messages
/// can say what happened. A signal that is ignored when the program starts (nohup) stays ignored.
void handle_signals();

/// Ends the program by this signal, so that the shell that started it notices and ends its loop.
/// The first process of a container ends by no signal: it exits with 128 + `signal`, as a shell
/// reports it. A signal handler may call it.
[[noreturn]] void end_by(int signal);

/// Which SIGINT and SIGTERM wait while a HeldSignals lives.
enum class Held {
  request,           ///< the first SIGINT or SIGTERM; a line on standard error says so
  request_silently,  ///< the same without the line
  all,               ///< every SIGINT and SIGTERM, until the end
};

/// While one lives, some signals do not end the program: they ask the work to stop, which
/// `signal_has_come()` tells it. All others end the program as before.
class HeldSignals {
 public:
  explicit HeldSignals(Held which);
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
};

bool signal_has_come();

/// Ends the program by the signal that a HeldSignals held, if one came. To be called at the very
/// end.
void end_by_held_signal();

}  // namespace bombard::tools
