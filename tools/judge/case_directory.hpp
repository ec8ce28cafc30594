#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/judge/prepared_case.hpp"

/// Cases as files (docs/judging.md): a directory for each, with case.json, the storms, and the
/// right answer in result.txt.
namespace bombard::judge {

/// Writes DIRECTORY/NAME/. Throws InputError if that is not possible.
void keep_case(const PreparedCase& tried, const std::string& directory);

/// All cases below a directory, in the order of their names. `edition` is for those whose case.json
/// does not name one; if it is not given, the second. Throws InputError, with the file, for what is
/// not a case.
std::vector<Case> read_cases(const std::string& directory, std::optional<Edition> edition);

/// Throws InputError when a case of this directory has a result.txt that is not the right answer.
void check_kept_result(const PreparedCase& tried, const std::string& directory);

}  // namespace bombard::judge
