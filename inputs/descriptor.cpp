#include "inputs/descriptor.hpp"

#include <limits.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "kernels/base/stoppable_work.hpp"

namespace bombard {

namespace {

using std::chrono::milliseconds;

void wait_for(int descriptor, short event, milliseconds between_questions) {
  pollfd waited{descriptor, event, 0};
  const auto is_early = [&] {
    const int ready = ::poll(&waited, 1, static_cast<int>(between_questions.count()));
    return ready == 0 || (ready < 0 && errno == EINTR);
  };
  while (is_early()) StoppableWork::may_stop();
}

bool is_regular(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

void wait_for_input(int descriptor) {
  StoppableWork::may_stop();  // there may always be input
  wait_for(descriptor, POLLIN, milliseconds(100));
}

int write_all(int descriptor, std::string_view bytes) {
  // A reader that is slow takes what there is, also after a signal; one that has stopped does not.
  constexpr milliseconds patience{500};
  const bool is_ready = is_regular(descriptor);
  while (!bytes.empty()) {
    // A pipe that has room has room for this.
    if (!is_ready) wait_for(descriptor, POLLOUT, patience);
    const std::size_t size =
        is_ready ? bytes.size() : std::min<std::size_t>(bytes.size(), PIPE_BUF);
    const ssize_t written = ::write(descriptor, bytes.data(), size);
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      return errno;
    }
  }
  return 0;
}

}  // namespace bombard
