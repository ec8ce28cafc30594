#include "tools/cli/outputs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "bombard/errors.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  const auto canonical = [&error](const std::string& path) {
    // This also resolves a link to a file that does not exist yet.
    std::filesystem::path target = std::filesystem::absolute(path);
    constexpr int most_links = 40;  // as in Linux
    for (int links = 0; links < most_links && std::filesystem::is_symlink(target, error); ++links) {
      target = target.parent_path() / std::filesystem::read_symlink(target, error);
    }
    return std::filesystem::weakly_canonical(target, error);
  };
  const std::filesystem::path of_a = canonical(a);
  return !error && of_a == canonical(b) && !error;
}

void check_output(const std::string& option, const std::string& path,
                  std::span<const std::string> inputs, bool quiet) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return;
  for (const std::string& input : inputs) {
    if (!std::filesystem::equivalent(path, input == "-" ? "/dev/stdin" : input, error)) continue;
    throw InputError(fmt::format(
        "{} {} is the file that {} is read from, and would replace it; give another name", option,
        path, input == "-" ? "standard input" : input));
  }
  const std::uintmax_t names = std::filesystem::hard_link_count(path, error);
  if (!error && names > 1 && !quiet) {
    note(fmt::format("{} has {} names (hard links); the others will keep what it holds now", path,
                     names));
  }
}

}  // namespace bombard::tools
