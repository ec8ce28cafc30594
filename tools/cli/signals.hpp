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

/// While one lives, the first `most` SIGINT and SIGTERM do not end the program: they ask the work
/// to stop, which `signal_has_come()` tells it, and write `line` to standard error. All others end
/// the program as before. What comes within half a second of a signal is the same one, sent twice.
class HeldSignals {
 public:
  explicit HeldSignals(int most, const char* line = "");
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
};

bool signal_has_come();

/// Ends the program by the signal that a HeldSignals held, if one came. To be called at the very
/// end.
void end_by_held_signal();

}  // namespace bombard::tools
