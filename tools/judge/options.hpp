#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/judge/process.hpp"

namespace bombard::judge {

/// How programs are judged. In the words of a command {cells} is the number of cells, {threads} and
/// {ranks} the number of threads or processes, and a word {storms} all storm files.
struct Options {
  std::vector<std::string> launcher = {};  ///< words before a program, as `mpirun -n {ranks}`
  std::vector<std::string> arguments = {"{cells}", "{storms}"};  ///< words behind it
  std::string build = {};  ///< a command of the shell; empty for none
  std::vector<std::optional<int>> numbers_of_threads = {std::nullopt};  ///< none: not asked for
  std::optional<int> threads = {};  ///< one of these numbers; else the processors that may be used
  int jobs = 1;                     ///< programs judged side by side
  int repeat = 1;
  bool timed = true;  ///< the times of runs count, but for those that look for a race
  Limits limits = {};
  /// What maxima may be off by besides: a part of the right one, and a number.
  std::optional<double> tolerance = {}, absolute_tolerance = {};
  bool strict = false;  ///< right up to rounding is not right

  // Grades (`--points`)
  double right_points = 100;  ///< for the cases of the assignment, each the same
  double speed_points = 0;    ///< for programs that are right in all of these
  double full_speedup = 2;  ///< earns all points of speed; the sequential program's time earns none
};

/// The words that start a program on a case.
std::vector<std::string> command_of(const std::string& program, std::int64_t cells,
                                    const std::vector<std::string>& storms, const Options& options);

/// NAME=VALUE, for the program's environment. With a number of threads, OMP_NUM_THREADS is that
/// number, unless the launcher has {ranks}. Where its time does not count, a program's threads
/// leave the processors to others while they wait for each other.
std::vector<std::string> variables_of(const Options& options, bool timed);

/// Words between blanks; quotes have no meaning among them. Throws InputError for a word in braces
/// that has no meaning; `option` is for the message.
std::vector<std::string> command_words(const std::string& text, const char* option);

/// The words of `--arguments`: without {cells} and {storms} a program cannot know its case.
std::vector<std::string> argument_words(const std::string& text);

/// RIGHT[,SPEED[,SPEEDUP]]. Throws InputError for what is no points.
void take_points(const std::string& text, Options& options);

}  // namespace bombard::judge
