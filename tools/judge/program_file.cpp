#include "tools/judge/program_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <string_view>
#include <system_error>

#include "bombard/errors.hpp"
#include "inputs/descriptor.hpp"
#include "inputs/token.hpp"
#include "tools/cli/reports/report.hpp"

namespace bombard::judge {

namespace {

constexpr std::string_view mark_of_binaries = "\177ELF";

/// A regular file's first bytes; none of any other file. Another program may change what is there
/// between two looks, so opening waits for nothing.
std::string first_bytes(const std::string& path) {
  constexpr std::size_t longest_line = 4096;
  std::error_code error;
  struct stat found {};
  if (!std::filesystem::is_regular_file(path, error)) return {};
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (::fstat(file.number(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  std::string bytes(longest_line, '\0');
  bytes.resize(static_cast<std::size_t>(
      std::max<ssize_t>(0, ::pread(file.number(), bytes.data(), bytes.size(), 0))));
  return bytes;
}

}  // namespace

std::string why_not_startable(const std::string& path, bool is_for_launcher) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(path, error).type();
  if (type == std::filesystem::file_type::directory) return "it is a folder";
  if (error) return error.message();
  if (type != std::filesystem::file_type::regular) return "it is a FIFO, a socket or a device";
  if (is_for_launcher || ::access(path.c_str(), X_OK) == 0) return {};
  return std::generic_category().message(errno) +
         ": it is not executable; compile it, or name what runs a script, as in --command "
         "\"python3 {program} {cells} {storms}\"";
}

bool is_script(const std::string& path) {
  const std::string bytes = first_bytes(path);
  return !bytes.empty() && !bytes.starts_with(mark_of_binaries);
}

std::string trouble_of_interpreter(const std::string& path) {
  const std::string bytes = first_bytes(path);
  // A binary names its loader, behind its headers, as "/lib64/ld-linux-x86-64.so.2".
  const std::size_t loader =
      bytes.starts_with(mark_of_binaries) ? bytes.find("/lib") : std::string::npos;
  std::string named = loader == std::string::npos ? "" : bytes.c_str() + loader;
  const bool has_line = bytes.starts_with("#!");
  if (has_line) {
    const std::string line = bytes.substr(2, bytes.find('\n') - 2);
    if (line.ends_with('\r')) {
      return "its first line ends with a carriage return, as in files from Windows: remove it from "
             "each line (sed -i 's/\\r$//')";
    }
    std::istringstream(line) >> named;
  }
  if (named.empty() || ::access(named.c_str(), X_OK) == 0) return {};
  return fmt::format("its {} {}: {}", has_line ? "first line names the interpreter" : "loader is",
                     printable(named), std::generic_category().message(errno));
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (!error) return absolute.lexically_normal().string();
  throw InputError(fmt::format("{}: {}", in_quotes(path), error.message()));
}

std::string without_links(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::weakly_canonical(path.parent_path(), error);
  return (error ? path.parent_path() : folder) / path.filename();
}

}  // namespace bombard::judge
