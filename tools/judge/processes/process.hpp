#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bombard/errors.hpp"
#include "tools/judge/processes/confinement.hpp"
#include "tools/judge/processes/run_directory.hpp"

namespace bombard::judge {

/// The limits of a process and of everything that it starts.
struct Limits {
  double seconds = 60;  ///< of wall clock
  std::int64_t memory_bytes = 0;
  std::int64_t output_bytes = std::int64_t{16} << 20;  ///< standard output and error together
  std::int64_t file_bytes = std::int64_t{1} << 30;     ///< in a file, and below its directory
  std::size_t processes = 512;
};

/// How a process ended.
enum class Ending {
  exited,
  killed,  ///< by a signal
  not_started,
  out_of_time,  ///< or this program was asked to end
  too_much_output,
  too_large_files,
  too_many_processes,
  too_much_memory,
};

struct ProcessOutcome {
  Ending ending = Ending::exited;
  int code = 0;             ///< exit code; signal; errno: why it was not started
  double seconds = 0;       ///< from the start to the end
  std::string output = {};  ///< standard output
  std::string errors = {};  ///< standard error
};

/// A signal has come that is held (tools::HeldSignals).
struct Interrupted : CannotRun {
  Interrupted() : CannotRun("interrupted") {}
};

/// Gives this process the usual priority. Throws CannotRun if it has inherited a limit (ulimit)
/// that would change what programs do, and may not raise it.
void require_room_for_limits(const Limits& limits);

/// Runs a program that is not trusted: without a shell, in a session of its own, in the folder to
/// work in, with nothing on standard input. When it has ended or has exceeded its limits,
/// everything that it has started is killed. What this process has inherited, as signals that are
/// ignored, limits, the mask of permissions and most of the environment, does not reach the
/// program. The first word of the command is a path, or a name that is looked for along $PATH;
/// `variables` are NAME=VALUE. Without confinement, it has all rights of this process. Throws
/// CannotRun if nothing can be started, and Interrupted. If this process is killed, the root of the
/// directory is removed, too.
///
/// Memory is watched, not limited by the kernel: programs that use a GPU, and sanitizers, reserve
/// far more address space than memory.
ProcessOutcome run_process(const std::vector<std::string>& command,
                           const ScratchDirectory& directory, const Limits& limits,
                           const std::vector<std::string>& variables = {},
                           const std::optional<Confinement>& confinement = {});

}  // namespace bombard::judge
