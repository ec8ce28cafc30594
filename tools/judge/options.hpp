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
  std::string hidden_races = {};  ///< why the launcher hides them; empty if it does not
  std::string scratch = {};       ///< the directory for those of runs, and for copies of programs
  bool confined = false;          ///< to the system, the program's folder and the run's directory
  std::vector<std::string> others = {};  ///< what no program may read: others, and right answers
  std::string confinement = {};          ///< "confined", or why not; empty without the wish
  /// What a program may read: its folder, or the program alone, and the copy that is judged.
  std::string original = {}, copy = {};
  /// By how much maxima may be off, instead of roundings: a part of the right one, or a number.
  std::optional<double> tolerance = {};
  bool is_absolute_tolerance = false;

  // Grades (`--points`)
  double right_points = 100;  ///< shared equally by the cases of the assignment
  double speed_points = 0;    ///< for programs that are right in all of these
  double full_speedup = 2;  ///< earns all points of speed; the sequential program's time earns none
};

/// The words that start a program, by its absolute path or as a name to look for, on a case;
/// `threads` instead of those asked for.
std::vector<std::string> command_of(const std::string& program, std::int64_t cells,
                                    const std::vector<std::string>& storms, const Options& options,
                                    std::optional<int> threads = {});

/// NAME=VALUE, for the program's environment: with a number of threads, OMP_NUM_THREADS is that
/// number, unless the command has {ranks}.
std::vector<std::string> variables_of(const Options& options);

/// The words of `--command`, separated by blanks; quotes have no special meaning. Throws InputError
/// without {program}, {cells} and {storms}, and for a word in braces that has no meaning.
std::vector<std::string> command_words(const std::string& text);

/// Whether the command has words before the program.
bool has_launcher(const Options& options);

/// "1e-4", a part of the maximum, or "1e-4 absolute". Throws InputError for any other text.
void take_tolerance(const std::string& text, Options& options);

/// RIGHT[,SPEED[,SPEEDUP]]. Throws InputError for any other text.
void take_points(const std::string& text, Options& options);

}  // namespace bombard::judge
