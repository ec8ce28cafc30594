#include "tools/judge/program_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "bombard/errors.hpp"
#include "inputs/descriptor.hpp"
#include "inputs/token.hpp"
#include "tools/cli/reports/report.hpp"

namespace bombard::judge {

namespace {

constexpr std::size_t longest_line = 4096;

/// A regular file's first bytes; none of any other file. Another program may change what is there
/// between two looks, so opening waits for nothing.
std::string first_bytes(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (::fstat(file.number(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  std::string bytes(longest_line, '\0');
  bytes.resize(static_cast<std::size_t>(
      std::max<ssize_t>(0, ::pread(file.number(), bytes.data(), bytes.size(), 0))));
  return bytes;
}

}  // namespace

std::string why_not_startable(const std::string& path, bool is_for_launcher) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::generic_category().message(errno);
  switch (found.st_mode & S_IFMT) {
    case S_IFREG:
      break;
    case S_IFDIR:
      return "it is a folder";
    case S_IFIFO:
      return "it is a FIFO, not a file";
    case S_IFSOCK:
      return "it is a socket, not a file";
    default:
      return "it is a device, not a file";
  }
  if (is_for_launcher || ::access(path.c_str(), X_OK) == 0) return {};
  return std::generic_category().message(errno) + ": it is not executable";
}

bool is_script(const std::string& path) {
  const std::string bytes = first_bytes(path);
  return bytes.empty() ? std::filesystem::path(path).has_extension()
                       : !bytes.starts_with("\177ELF");
}

std::string trouble_of_interpreter(const std::string& path) {
  const std::string bytes = first_bytes(path);
  const bool has_line = bytes.starts_with("#!");
  // A program names its loader, behind its headers, as "/lib64/ld-linux-x86-64.so.2".
  const std::size_t loader = bytes.starts_with("\177ELF") ? bytes.find("/lib") : std::string::npos;
  if (!has_line && loader == std::string::npos) return {};
  const std::string line = bytes.substr(2, bytes.find('\n') - 2);
  if (has_line && line.ends_with('\r')) {
    return "its first line ends with a carriage return, as in files from Windows: remove it from "
           "each line (sed -i 's/\\r$//')";
  }
  std::istringstream words(line);
  std::string interpreter;
  if (has_line) words >> interpreter;
  if (!has_line) interpreter = bytes.c_str() + loader;
  if (::access(interpreter.c_str(), X_OK) == 0) return {};
  return fmt::format("its {} {}: {}", has_line ? "first line names the interpreter" : "loader is",
                     printable(interpreter), std::generic_category().message(errno));
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (!error) return absolute.lexically_normal().string();
  throw InputError(fmt::format("{}: {}", in_quotes(path), error.message()));
}

}  // namespace bombard::judge
