// The command line: finds the subcommand and turns an exception into a line on standard error and
// an exit code (docs/usage.md, Exit codes).

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bombard/errors.hpp"
#include "kernels/base/usual_arithmetic.hpp"
#include "sim/ranks/engine_of_ranks.hpp"
#include "tools/cli/ranks.hpp"
#include "tools/cli/signals.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/manual/manual.hpp"

namespace {

using namespace bombard;

constexpr std::string_view out_of_memory =
    "out of memory: this machine has too little free for data of this size; take less (cells, "
    "impacts, elements) or a larger machine";

constexpr std::string_view too_few_threads =
    "the system refuses a thread; take fewer (--threads), or raise its limits (ulimit -u, ulimit "
    "-v)";

const tools::Subcommand& subcommand_of(const std::string& name) {
  std::vector<std::string> known;
  for (const tools::Subcommand& subcommand : tools::subcommands()) {
    if (subcommand.name == name) return subcommand;
    known.push_back(subcommand.name);
  }
  throw InputError(fmt::format("\"{}\" is not a subcommand; there are {}; see `bombard --help`",
                               name, fmt::join(known, ", ")));
}

/// `bombard --complete WORD...`, which the shells call (tools/manual/completion.bash).
int complete(std::span<const std::string> words) {
  const std::vector<std::string> offered = tools::completions(tools::subcommands(), words);
  for (const std::string& word : offered) tools::print(word + '\n');
  return offered.empty() ? 1 : 0;
}

int dispatch(const std::vector<std::string>& command) {
  const std::string name = command.empty() ? "" : command[0];
  if (command.empty()) {
    tools::print_aside(tools::help(tools::subcommands()));
    return 2;
  }
  if (name == "--help" || name == "-h" || (name == "help" && command.size() == 1)) {
    tools::print(tools::help(tools::subcommands()));
    return 0;
  }
  if (name == "--version" || name == "-V" || name == "version") return tools::version();
  if (name == "--complete") return complete(std::span(command).subspan(1));
  const bool asks = name == "help";  // bombard help solve jacobi
  std::vector<std::string> words(command.begin() + (asks ? 1 : 0), command.end());
  if (asks) words.emplace_back("--help");
  const tools::Subcommand& subcommand = subcommand_of(words.front());
  const tools::Arguments arguments(subcommand, std::move(words));
  if (arguments.has("help")) {
    tools::print(tools::help(subcommand, arguments.topic()));
    return 0;
  }
  if (arguments.has("version")) return tools::version();
  return arguments.work();
}

/// A standard stream that was closed would give its number to the next file opened, and results or
/// messages would be written into that file. Something that cannot be used in this way takes its
/// place.
void occupy_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) == -1) {
      // Reading from a write-only descriptor fails, and writing to a read-only one.
      static_cast<void>(open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
  }
}

/// The message of the error that ends the program; returns the exit code.
int fail(std::string_view message, int code = 3) {
  tools::complain(message);
  return code;
}

int fail_unexpectedly(const std::exception& error) {
  return fail(fmt::format("unexpected error, please report it: {}", error.what()));
}

}  // namespace

int bombard::tools::program(int argc, char** argv, StartRanks start) {
  occupy_standard_streams();
  // Kernels are loaded when a GPU starts, not at their first launch: that would be within `Time:`.
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  handle_signals();
  const UsualArithmetic arithmetic;
  if (start != nullptr) ranks_of_program = start(argc, argv);
  Communicator& ranks = communicator();
  if (!ranks.is_first()) {
    // Rank 0 is asked to stop, too, and knows what it still has to write.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    set_printing(false);
  }
  int code = 0;
  try {
    do_together(ranks, [&] {
      if (!ranks.is_first()) return serve_first_rank(ranks);
      code = dispatch(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
      end_service(ranks);
    });
  } catch (const NoReader&) {
    end_by(SIGPIPE);  // it is ignored for the sake of standard error
  } catch (const InputError& error) {
    code = fail(error.what(), 2);
  } catch (const CannotRun& error) {
    code = fail(error.what());
  } catch (const std::bad_alloc&) {
    code = fail(out_of_memory);
  } catch (const std::length_error&) {  // more elements than a container can ever have
    code = fail(out_of_memory);
  } catch (const std::system_error& error) {
    const bool thread = error.code() == std::errc::resource_unavailable_try_again;
    code = thread ? fail(too_few_threads) : fail_unexpectedly(error);
  } catch (const std::exception& error) {
    code = fail_unexpectedly(error);
  }
  broadcast(ranks, code);  // after everything that rank 0 has to say
  ranks_of_program.reset();
  end_by_held_signal();
  return code;
}
