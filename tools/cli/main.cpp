// The command line: finds the subcommand and turns what it throws into a line on standard error and
// an exit code (docs/usage.md, Exit codes; 4 is told by tools/cli/run.cpp).

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/output_file.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/ranks.hpp"
#include "tools/cli/signals.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"

namespace {

using namespace bombard;

constexpr std::string_view help =
    "bombard: particle bombardment of a layer, on GPUs and CPUs\n"
    "\n"
    "Usage:\n"
    "  bombard run CELLS STORM...       simulate storms: the maximum after each\n"
    "  bombard validate CELLS STORM...  compare an engine with the reference, bit for bit\n"
    "  bombard generate --cells N --impacts P\n"
    "                                   write storms of random impacts\n"
    "  bombard devices                  the processor and the GPUs that it can use here\n"
    "  bombard solve PROBLEM FILE...    linear systems, products, sorting, minima, sums\n"
    "  bombard study NAME               compare implementations of one operation\n"
    "  bombard judge PROGRAM...         is a program of the assignment right, and how quick\n"
    "  bombard --version                version, commit, compilers, what is compiled in\n"
    "  bombard help SUBCOMMAND          the options of a subcommand, with examples\n"
    "\n"
    "CELLS is the number of cells of the layer. STORM is a file (- is standard input): the number "
    "of\n"
    "its impacts, then a position and an energy for each of them.\n"
    "\n"
    "Examples:\n"
    "  bombard generate --cells 1000000 --impacts 5000 --storms 4 --directory storms\n"
    "  bombard run 1000000 storms/*.txt --plot\n"
    "  bombard run 1000000 storms/*.txt --device cuda --format json --output result.json\n"
    "\n"
    "Exit codes: 0 done, 1 results differ, an iteration does not converge or a program is wrong,\n"
    "2 bad usage or input, 3 cannot run here (no such device, not enough memory), 4 a signal "
    "ended\n"
    "the run, and its results so far are written.\n";

constexpr std::string_view out_of_memory =
    "out of memory: this machine has too little free for data of this size; take less (cells, "
    "impacts, elements) or a larger machine";

std::string unexpected(const std::exception& error) {
  return fmt::format("unexpected error, please report it: {}", error.what());
}

int dispatch(int argc, char** argv) {
  if (argc < 2) throw InputError("a subcommand is missing; see `bombard --help`");
  const std::string_view name = argv[1];
  if (name == "run") return tools::run(argc - 1, argv + 1);
  if (name == "validate") return tools::validate(argc - 1, argv + 1);
  if (!tools::communicator().is_first()) return 0;  // the others are for one process
  if (name == "generate") return tools::generate(argc - 1, argv + 1);
  if (name == "devices") return tools::devices(argc - 1, argv + 1);
  if (name == "solve") return tools::solve(argc - 1, argv + 1);
  if (name == "study") return tools::study(argc - 1, argv + 1);
  if (name == "judge") return tools::judge(argc - 1, argv + 1);
  if (name == "--version" || name == "-V" || name == "version") return tools::version();
  if (name == "help" && argc > 2) {
    std::string asked = "--help";
    std::array<char*, 3> arguments{argv[0], argv[2], asked.data()};
    return dispatch(static_cast<int>(arguments.size()), arguments.data());
  }
  if (name == "--help" || name == "-h" || name == "help") {
    tools::print(help);
    return 0;
  }
  const std::vector<std::string> known{"run",   "validate", "generate", "devices", "solve",
                                       "study", "judge",    "version",  "help"};
  throw InputError(
      fmt::format("\"{}\" is not a subcommand; there are run, validate, generate, devices, solve, "
                  "study and judge{}; see `bombard --help`",
                  name, tools::did_you_mean(name, known)));
}

/// A standard stream that was closed gives its number to the next file opened, which results or
/// messages would then be written into. Its place is taken by something that cannot be used that
/// way.
void occupy_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) == -1) {
      // Reading from a write-only descriptor fails, and writing to a read-only one.
      static_cast<void>(open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
  }
}

/// Whether main() has come to its end.
bool ending = false;

constexpr const char* too_few_threads =
    "the system refuses a thread; take fewer (--threads), or raise its limits (ulimit -u, ulimit "
    "-v)";

/// OpenMP's library ends the program when it cannot start a thread, after a message of its own and
/// with a code that would mean that results differ.
void correct_exit_code() {
  if (ending) return;
  tools::set_printing(true);
  tools::note(too_few_threads);
  remove_partial_files();
  ::_exit(3);
}

/// Says what the exception that is being handled means; returns its exit code.
int explain_exception() {
  try {
    throw;
  } catch (const InputError& error) {
    tools::note(error.what());
    return 2;
  } catch (const CannotRun& error) {
    tools::note(error.what());
    return 3;
  } catch (const std::bad_alloc&) {
    tools::note(out_of_memory);
    return 3;
  } catch (const std::length_error&) {  // more elements than a container can ever have
    tools::note(out_of_memory);
    return 3;
  } catch (const std::system_error& error) {
    const bool thread = error.code() == std::errc::resource_unavailable_try_again;
    tools::note(thread ? std::string(too_few_threads) : unexpected(error));
    return 3;
  } catch (const std::exception& error) {
    tools::note(unexpected(error));
    return 3;
  }
}

/// An exception that nothing can catch: one that leaves a parallel region of OpenMP. The standard
/// library's parallel sort takes memory in one.
[[noreturn]] void explain_lost_exception() {
  static std::atomic_flag explaining;
  while (explaining.test_and_set()) ::pause();  // another thread has lost one, too
  if (!std::current_exception()) std::abort();
  tools::set_printing(true);
  const int code = explain_exception();
  remove_partial_files();
  ::_exit(code);
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  tools::handle_signals();
  std::set_terminate(explain_lost_exception);
  std::atexit(correct_exit_code);
  const int code = tools::on_all_ranks(argc, argv, dispatch, explain_exception);
  ending = true;
  return code;
}
