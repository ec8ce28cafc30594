#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/judge/reports/standing.hpp"

namespace bombard::judge {

/// Names by their programs, or by the folders of these.
using Names = std::map<std::string, std::string>;

/// The names of `--names FILE`: CSV lines `PROGRAM,NAME`, as spreadsheets write them: with a byte
/// order mark, quotes, semicolons. Throws InputError for any other line.
Names read_names(const std::string& path);

/// The names whose program is not among `programs`.
Names names_without_program(Names names, const std::vector<std::string>& programs);

/// `--ranking FILE.html`: a class as one table, with bars for the speedup, in a page that needs no
/// other file. Without names it does not reveal who wrote a program.
class Ranking {
 public:
  /// `about` says when, where and by what the class is judged. Throws InputError if the file cannot
  /// be written.
  Ranking(std::string path, Names names, std::string date, std::string about);

  /// Adds a program, and writes the page: the results so far survive an interruption.
  void add(Standing standing);

 private:
  std::string path_;
  Names names_;
  std::string date_, about_;
  std::vector<Standing> standings_;
};

}  // namespace bombard::judge
