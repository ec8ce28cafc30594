#pragma once

#include <csignal>
#include <vector>

namespace bombard::judge {

/// While it lives, a signal that would end this program (Ctrl-C, a closed terminal, kill) waits
/// until the object is destroyed, so that nothing is left behind: the signal is then raised again.
/// One at a time.
class EndingSignals {
 public:
  EndingSignals();
  ~EndingSignals();
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

  /// Can be read, for poll(), once a signal has come.
  int descriptor() const;

 private:
  struct Handled {
    int signal;
    struct sigaction before;
  };
  std::vector<Handled> handled_;
};

}  // namespace bombard::judge
