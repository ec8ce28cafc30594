#pragma once

namespace bombard::tools {

/// The effect of signals on the program: those that end it take unfinished files along; a file that
/// became shorter while it was read ends it with a message and exit code 2; a pipe without a reader
/// and a limit on the size of files do not end it but make writing fail, so that messages can say
/// what happened. A signal that is ignored when the program starts (nohup) stays so.
void handle_signals();

/// While one lives, the first SIGINT or SIGTERM does not end the program: it asks whoever computes
/// to come to an end, and says on standard error that it did (unless quiet). The second one ends it
/// as before.
class StopRequests {
 public:
  explicit StopRequests(bool quiet);
  ~StopRequests();
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;
};

/// While one lives, a signal by which people end a program (Ctrl-C, a closed terminal, kill) waits
/// until the last object is destroyed, so that nothing is left behind: the signal is then raised
/// again.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
};

/// Whether a signal has come to one of these objects.
bool signal_has_come();

}  // namespace bombard::tools
