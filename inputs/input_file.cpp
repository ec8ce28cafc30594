#include "inputs/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/descriptor.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

namespace {

using namespace std::string_view_literals;

/// How files of other formats begin, and what messages say of them.
constexpr std::pair<std::string_view, const char*> foreign_formats[] = {
    {"\x1F\x8B"sv, "is compressed (gzip); give what `gzip -dc` makes of it, through a pipe and -"},
    {"\xFD\x37zXZ\0"sv, "is compressed (xz); give what `xz -dc` makes of it, through a pipe and -"},
    {"\x28\xB5\x2F\xFD"sv,
     "is compressed (zstd); give what `zstd -dc` makes of it, through a pipe and -"},
    {"BZh"sv, "is compressed (bzip2); give what `bzip2 -dc` makes of it, through a pipe and -"},
    {"PK\x03\x04"sv,
     "is an archive (zip, perhaps .npz); give the files in it, unpacked by `unzip`"},
    {"\xFF\xFE"sv, "is text in UTF-16; convert it: `iconv -f UTF-16 -t UTF-8`"},
    {"\xFE\xFF"sv, "is text in UTF-16; convert it: `iconv -f UTF-16 -t UTF-8`"},
    {"\0"sv,
     "begins with a zero byte, as no text and no array does; write the file again: the program "
     "that wrote it may have been stopped halfway"},
};

void reject_foreign_format(std::string_view content, const std::string& name) {
  for (const auto& [begin, remedy] : foreign_formats) {
    if (content.starts_with(begin)) throw InputError(fmt::format("{}: {}", name, remedy));
  }
}

}  // namespace

InputFile::InputFile(const std::string& path) : name_(path == "-" ? "standard input" : path) {
  if (path.empty())
    throw InputError("the name of an input file is empty; give a path, or - for standard input");
  const bool is_standard_input = path == "-";
  const Descriptor file(is_standard_input
                            ? ::dup(STDIN_FILENO)
                            : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0) fail(errno);
  // One byte more, where the end of the file is found. A file without a size (a pipe, a file in
  // /proc) may still have content.
  constexpr std::size_t without_size = std::size_t{1} << 18;
  const bool has_size = S_ISREG(status.st_mode) && status.st_size > 0;
  read(file.number(), has_size ? static_cast<std::size_t>(status.st_size) + 1 : without_size);
  if (is_standard_input) {
    static std::atomic<bool> read_before = false;
    if (read_before.exchange(true) && content_.empty()) {
      throw InputError("standard input is empty: it was read before, and can be read only once");
    }
  }
  reject_foreign_format(content_, name_);
}

InputFile::InputFile(std::string name, std::string content)
    : name_(std::move(name)), content_(std::move(content)) {}

void InputFile::read(int descriptor, std::size_t room) {
  for (std::size_t size = 0;;) {
    if (size == content_.size()) {
      require_host_memory(static_cast<std::int64_t>(size + room), name_);
      content_.resize(size + room);
    }
    wait_for_input(descriptor);
    const ssize_t got = ::read(descriptor, content_.data() + size, content_.size() - size);
    if (got < 0 && errno != EINTR && errno != EAGAIN) fail(errno);
    if (got > 0) size += static_cast<std::size_t>(got);
    if (got == 0) return content_.resize(size);
    room = size;
  }
}

void InputFile::fail(int error) const {
  if (error == EISDIR) {
    throw InputError(fmt::format("{}: is a directory; give the files in it", name_));
  }
  throw InputError(
      fmt::format("{}: cannot be read: {}", name_, std::generic_category().message(error)));
}

}  // namespace bombard
