#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/judge/processes/confinement.hpp"

namespace bombard::judge {

/// The limits of a process and of all that it starts.
struct Limits {
  double seconds = 60;  ///< of wall clock
  std::int64_t memory_bytes = 0;
  std::int64_t output_bytes = std::int64_t{16} << 20;  ///< standard output and error together
  std::int64_t file_bytes = std::int64_t{1} << 30;     ///< a file, and all below its directory
  std::size_t processes = 512;
};

/// How a process came to its end.
enum class Ending {
  exited,
  killed,  ///< by a signal
  not_started,
  out_of_time,
  over_limit,   ///< of memory, output, files or processes
  interrupted,  ///< this program is asked to end
};

struct ProcessOutcome {
  Ending ending = Ending::exited;
  int code = 0;        ///< exit code; signal; errno, why it was not started
  double seconds = 0;  ///< from the start to the end
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
  std::string excess;  ///< over_limit: "prints more than 16 MiB"
};

/// Runs a program that is not trusted to behave: without a shell, in a session of its own, in
/// `directory`, with nothing on standard input. When it has ended, or has taken more than its
/// limits, or when a signal has come that is held (tools::HeldSignals), everything that it has
/// started is killed; several threads may do this at once. The first word of the command is a path,
/// or a name that is looked for along $PATH; `variables` are NAME=VALUE. Throws CannotRun when
/// nothing can be started. When this process is killed, the directory above `directory` goes, too.
///
/// Memory is watched, not limited by the kernel: programs that use a GPU, and sanitizers, reserve
/// far more addresses than they take memory.
ProcessOutcome run_process(const std::vector<std::string>& command, const std::string& directory,
                           const Limits& limits, const std::vector<std::string>& variables = {},
                           const std::optional<Confinement>& confinement = {});

}  // namespace bombard::judge
