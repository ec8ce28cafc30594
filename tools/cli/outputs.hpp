#pragma once

#include <span>
#include <string>

namespace bombard::tools {

/// Whether two paths lead to one file, there or not, by whatever links.
bool same_file(const std::string& a, const std::string& b);

/// Throws InputError when the file that an option (--output) names is one of those that are read
/// (- is standard input): it would be replaced. Notes, unless quiet, when it has other names, which
/// keep what is there now.
void check_output(const std::string& option, const std::string& path,
                  std::span<const std::string> inputs, bool quiet);

}  // namespace bombard::tools
