#pragma once

#include <span>
#include <string>

namespace bombard::tools {

/// Whether two paths lead to the same file, existing or not, by whatever links.
bool same_file(const std::string& a, const std::string& b);

/// Throws InputError when the file that an option (--output) names is one of those that are read
/// (- is standard input): it would be replaced. Unless quiet, notes any other names of the file,
/// which keep the present contents.
void check_output(const std::string& option, const std::string& path,
                  std::span<const std::string> inputs, bool quiet);

}  // namespace bombard::tools
