#include "inputs/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>
#include <system_error>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/descriptor.hpp"
#include "inputs/signal_safe_list.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

namespace {

using namespace std::string_view_literals;

constinit SignalSafeList<MappedFile> mapped;

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

MappedFile::MappedFile(const std::string& path, Look look)
    : MappedFile(path == "-" ? "standard input" : path, std::string_view()) {
  if (path.empty())
    throw InputError("the name of an input file is empty; give a path, or - for standard input");
  const bool is_standard_input = path == "-";
  const Descriptor file(is_standard_input ? ::dup(STDIN_FILENO)
                                          : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0) fail(errno);
  // Standard input may already be somewhere inside its file. A file without a size (a pipe, a file
  // in /proc) may still have content, and on some file systems nothing can be mapped.
  const bool has_size = S_ISREG(status.st_mode) && status.st_size > 0;
  if (is_standard_input || !has_size ||
      !map(file.number(), static_cast<std::size_t>(status.st_size))) {
    read(file.number(), look);
  }
  if (is_standard_input) {
    static std::atomic<bool> read_before = false;
    if (read_before.exchange(true) && content_.empty()) {
      throw InputError("standard input is empty: it was read before, and can be read only once");
    }
  }
  reject_foreign_format(content_, name_);
}

MappedFile::MappedFile(std::string name, std::string_view content) : name_(std::move(name)) {
  make_room(content.size());
  std::ranges::copy(content, read_.get());
  content_ = {read_.get(), content.size()};
}

bool MappedFile::map(int descriptor, std::size_t size) {
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) return false;
  content_ = {static_cast<const char*>(address), size};
  mapped.add(this);
  return true;
}

void MappedFile::read(int descriptor, Look look) {
  for (std::size_t room = 0;;) {
    if (content_.size() == room) {
      if (room > 0) {
        reject_foreign_format(content_, name_);
        if (look != nullptr) look(*this);
      }
      room = std::max(2 * room, std::size_t{1} << 18);
      make_room(room);
    }
    char* const end = read_.get() + content_.size();
    const ssize_t got = ::read(descriptor, end, room - content_.size());
    if (got == 0) return;
    if (got < 0 && errno != EINTR) fail(errno);
    if (got > 0) content_ = {read_.get(), end + got};
  }
}

/// Makes room for `size` bytes in all. The bytes so far are kept, and many of them move without a
/// copy.
void MappedFile::make_room(std::size_t size) {
  require_host_memory(static_cast<std::int64_t>(size - content_.size()), name_);
  char* const moved = static_cast<char*>(std::realloc(read_.get(), size));
  if (moved == nullptr && size > 0) throw std::bad_alloc();
  static_cast<void>(read_.release());
  read_.reset(moved);
  content_ = {moved, content_.size()};
}

void MappedFile::fail(int error) const {
  if (error == EISDIR) {
    throw InputError(fmt::format("{}: is a directory; give the files in it", name_));
  }
  throw InputError(
      fmt::format("{}: cannot be read: {}", name_, std::generic_category().message(error)));
}

MappedFile::~MappedFile() {
  if (read_.get() != content_.data()) {
    mapped.remove(this);
    ::munmap(const_cast<char*>(content_.data()), content_.size());
  }
}

const char* name_of_mapped_file_at(const void* address) noexcept {
  const char* name = nullptr;
  mapped.for_each([&](const MappedFile& file) {
    const std::string_view content = file.content();
    const auto beyond = static_cast<const char*>(address) - content.data();
    if (beyond >= 0 && beyond < static_cast<std::ptrdiff_t>(content.size())) {
      name = file.name().c_str();
    }
  });
  return name;
}

}  // namespace bombard
