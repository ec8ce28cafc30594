#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/judge/judgement.hpp"

namespace bombard::judge {

/// A program in its class, with all its numbers of threads.
struct Standing {
  std::string program = {};
  std::string verdict = {};  ///< the word for its worst verdict, or "not built"
  bool passes = true;
  int wrong = 0;                                     ///< of the cases that count
  std::string mistakes = {}, reason = {};            ///< that it looks like; why it does not pass
  double seconds = unknown, speedup = unknown;       ///< the best
  double spread = unknown;                           ///< of these seconds
  std::vector<std::pair<int, double>> scaling = {};  ///< speedups over numbers of threads
  int rank = 0;                                      ///< none where it does not pass
  int number = 0;                                    ///< of the program in the class
};

Standing standing_of(std::span<const ProgramJudgement> judgements, const Options& options);

/// Sorts a class, the highest speedup first and those that do not pass last, and gives ranks:
/// programs whose speedups are within the larger spread of the two share a rank with the first of
/// it. Points follow speedups, too, which another load on the machine changes little.
void give_ranks(std::vector<Standing>& standings);

/// Names by their programs, or by the folders of these.
using Names = std::map<std::string, std::string>;

/// The names of `--names FILE`: CSV lines `PROGRAM,NAME`, as spreadsheets write them: with a byte
/// order mark, quotes, semicolons. Throws InputError for any other line.
Names read_names(const std::string& path);

/// The names whose program is not among `programs`.
Names names_without_program(Names names, const std::vector<std::string>& programs);

/// Writes the page of `--ranking FILE.html`: a class as one table, with bars for the speedup, in a
/// page that needs no other file. Without names it does not reveal who wrote a program. `about`
/// says when, where and by what the class is judged. Throws InputError if the file cannot be
/// written.
void write_ranking(const std::string& path, std::vector<Standing> standings, const Names& names,
                   const std::string& date, const std::string& about);

}  // namespace bombard::judge
