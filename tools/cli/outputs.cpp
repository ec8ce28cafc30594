#include "tools/cli/outputs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "bombard/errors.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

/// The file to which a path leads, if it is a regular file.
std::optional<struct stat> regular_file_at(const std::string& path) {
  struct stat status {};
  const int error = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
  if (error != 0 || !S_ISREG(status.st_mode)) return {};
  return status;
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  const auto canonical = [&error](const std::string& path) {
    // Also of a link to a file that is not there yet.
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
  const auto output = regular_file_at(path);
  if (!output) return;
  for (const std::string& input : inputs) {
    const auto read = regular_file_at(input);
    if (!read || read->st_dev != output->st_dev || read->st_ino != output->st_ino) continue;
    throw InputError(fmt::format(
        "{} {} is the file that {} is read from, and would replace it; give another name", option,
        path, input == "-" ? "standard input" : input));
  }
  if (output->st_nlink > 1 && !quiet) {
    note(fmt::format("{} has {} names (hard links); the others will keep what it holds now", path,
                     output->st_nlink));
  }
}

}  // namespace bombard::tools
