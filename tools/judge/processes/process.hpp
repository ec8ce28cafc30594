#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/judge/processes/confinement.hpp"
#include "tools/judge/processes/scratch_directory.hpp"

namespace bombard::judge {

/// The limits of a process and of everything that it starts.
struct Limits {
  double seconds = 60;  ///< of wall clock
  std::int64_t memory_bytes = 0;
  std::int64_t output_bytes = std::int64_t{16} << 20;  ///< standard output and error together
  std::int64_t file_bytes = std::int64_t{1} << 30;     ///< in a file, and below its directory
  std::size_t processes = 512;
};

/// Values of variables, by their names.
using Environment = std::map<std::string, std::string>;

/// A program to run, without a shell.
struct Process {
  /// The first one is a path, or a name that is looked for along $PATH.
  std::vector<std::string> words;
  const ScratchDirectory& directory;  ///< in whose folder it works
  Limits limits;
  Environment environment = {};                 ///< beside what programs need to find others
  std::optional<Confinement> confinement = {};  ///< none: it has all rights of this process
};

/// How a process ended.
enum class Ending { exited, killed, not_started, out_of_time, beyond_a_limit };

struct ProcessOutcome {
  Ending ending = Ending::exited;
  int code = 0;             ///< exit code; signal; errno: why it was not started
  std::string excess = {};  ///< "takes more than 4 GB of memory": why it was ended
  double seconds = 0;       ///< from the start to the end
  std::string output = {};  ///< standard output
  std::string errors = {};  ///< standard error
};

/// Gives this process what a login shell gives, where it may: limits, priority and a mask of
/// permissions with which the owner's files are his, and no signal is blocked. To be called before
/// the first process is run.
void set_usual_state();

/// Runs a program that is not trusted, in a session of its own, with nothing on standard input.
/// When it has ended or has exceeded its limits, everything that it has started is killed. Signals
/// that are ignored and most of the environment do not reach it. Throws CannotRun if nothing can be
/// started, and Stopped when a signal has come that is held (tools::HeldSignals). If this process
/// is killed, the root of the directory is removed, too.
///
/// Memory is watched, not limited by the kernel: programs that use a GPU, and sanitizers, reserve
/// far more address space than memory.
ProcessOutcome run_process(const Process& process);

}  // namespace bombard::judge
