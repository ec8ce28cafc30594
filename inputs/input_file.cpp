#include "inputs/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "bombard/errors.hpp"

namespace bombard {

namespace {

[[noreturn]] void fail(const std::string& name, int error) {
  if (error == EISDIR) {
    throw InputError(fmt::format("{}: is a directory; give the files in it", name));
  }
  throw InputError(
      fmt::format("{}: cannot be read: {}", name, std::generic_category().message(error)));
}

}  // namespace

InputFile::InputFile(const std::string& path)
    : name_(path == "-" ? "standard input" : path), is_standard_input_(path == "-") {
  if (path.empty())
    throw InputError("the name of an input file is empty; give a path, or - for standard input");
  descriptor_ = Descriptor(is_standard_input_ ? ::dup(STDIN_FILENO)
                                              : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor_.is_open()) fail(name_, errno);
  struct stat status {};
  if (::fstat(descriptor(), &status) != 0) fail(name_, errno);
  if (S_ISDIR(status.st_mode)) fail(name_, EISDIR);
}

std::int64_t InputFile::size() const {
  struct stat status {};
  if (::fstat(descriptor(), &status) != 0) fail(name_, errno);
  return S_ISREG(status.st_mode) ? status.st_size : 0;
}

bool InputFile::can_be_mapped() const {
  return !is_standard_input_ && size() > 0;
}

void InputFile::rewind() {
  if (::lseek(descriptor(), 0, SEEK_SET) != 0) fail(name_, errno);
}

std::size_t InputFile::read(std::span<char> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t got = ::read(descriptor(), buffer.data() + filled, buffer.size() - filled);
    if (got == 0) break;
    if (got > 0) {
      filled += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      fail(name_, errno);
    }
  }
  return filled;
}

}  // namespace bombard
