#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/judge/processes/process.hpp"

namespace bombard::judge {

/// How programs are judged. In the words of a command, {program} is the program, {cells} the number
/// of cells, {threads} and {ranks} the number of threads or processes, and a word {storms} stands
/// for all storm files.
struct Options {
  std::vector<std::string> command = {"{program}", "{cells}", "{storms}"};
  std::string build = {};  ///< a shell command; empty for none
  std::vector<std::optional<int>> numbers_of_threads = {std::nullopt};  ///< none: not asked for
  std::optional<int> threads = {};  ///< one of these numbers; else the cores that may be used
  std::string keep = {};            ///< the directory for what builds say; empty for none
  int repeat = 1;                   ///< runs of a case whose times count
  Limits limits = {};
  std::string hidden_races = {};              ///< why the launcher hides them; empty if it does not
  const ScratchDirectory* scratch = nullptr;  ///< holds those of runs, and a program's copy
  std::optional<Confinement> system = {};     ///< what they may do beside that; none: everything
  std::string confinement = {};               ///< "confined", or why not; empty without the wish
  /// What no program may read: others, and right answers; without_links().
  std::vector<std::string> others = {};
  /// By how much maxima may be off, instead of roundings: a part of the right one, or a number.
  std::optional<double> tolerance = {};
  bool is_absolute_tolerance = false;

  // Grades (`--points`)
  double right_points = 100;  ///< shared equally by the cases of the assignment
  double speed_points = 0;    ///< for programs that are right in all of these
  double full_speedup = 2;  ///< earns all points of speed; the sequential program's time earns none
};

/// How a run is started.
struct Start {
  bool is_timed = false;            ///< its time counts
  std::optional<int> threads = {};  ///< instead of those asked for, on all cores
  bool waits_actively = false;      ///< its threads, where its time does not count
};

/// The words that start a program, by its absolute path or as a name to look for, on a case. Throws
/// fmt::format_error for a word in braces that has no meaning.
std::vector<std::string> command_of(const std::string& program, std::int64_t cells,
                                    const std::vector<std::string>& storms, const Options& options,
                                    const Start& start);

/// Its variables. OMP_NUM_THREADS is the number of threads that is asked for, unless the command
/// has {ranks}.
Environment environment_of(const Options& options, const Start& start);

/// The words of `--command`, separated by blanks; quotes have no special meaning. Throws InputError
/// unless they make a command.
std::vector<std::string> command_words(const std::string& text);

/// Whether the command has words before the program.
bool has_launcher(const Options& options);

/// "1e-4", a part of the maximum, or "1e-4 absolute". Throws InputError for any other text.
void take_tolerance(const std::string& text, Options& options);

/// RIGHT[,SPEED[,SPEEDUP]]. Throws InputError for any other text.
void take_points(const std::string& text, Options& options);

}  // namespace bombard::judge
