#pragma once

#include <map>
#include <string>

#include "tools/judge/reports/judged_json.hpp"

namespace bombard::judge {

/// The names of `--names FILE`, by program: lines `PROGRAM,NAME`. Throws InputError for another
/// line.
std::map<std::string, std::string> read_names(const std::string& path);

/// `--ranking FILE.html`: a class as one page that needs no other file. The page has the results of
/// all runs that were written to it, as JSON, the latest first; without names it tells nothing of
/// who wrote a program.
class Ranking {
 public:
  /// Reads earlier results where the file exists. Throws InputError when it is another file, or
  /// cannot be written.
  Ranking(std::string path, std::map<std::string, std::string> names, const std::string& date);

  /// Adds a program, from sum_of(), and writes the page: the results so far survive an
  /// interruption.
  void add(const ordered_json& sum);

 private:
  std::string page() const;

  std::string path_;
  std::map<std::string, std::string> names_;
  ordered_json runs_ = ordered_json::array();
};

}  // namespace bombard::judge
