#pragma once

#include <map>
#include <nlohmann/json.hpp>
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

/// `--ranking FILE.html`: a class as one page that needs no other file. The page has the results of
/// all runs that were written to it, as JSON, the latest first, and tools/page/ranking.js draws
/// them; without names it does not reveal who wrote a program.
class Ranking {
 public:
  /// `run` has its `date`, `machine`, `cores`, `load` and `commit`. Reads earlier results if the
  /// file exists. Throws InputError if it is another file, or cannot be written.
  Ranking(std::string path, Names names, nlohmann::ordered_json run);

  /// Adds a program, and writes the page: the results so far survive an interruption.
  void add(const Standing& standing);

 private:
  std::string path_;
  Names names_;
  std::vector<Standing> standings_;
  nlohmann::ordered_json runs_ = nlohmann::ordered_json::array();
};

}  // namespace bombard::judge
