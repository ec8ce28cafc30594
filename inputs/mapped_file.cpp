#include "inputs/mapped_file.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "inputs/foreign_format.hpp"
#include "inputs/signal_safe_list.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

namespace {

constinit SignalSafeList<MappedFile> mapped;

}  // namespace

MappedFile::MappedFile(const std::string& path) : MappedFile(InputFile(path)) {}

MappedFile::MappedFile(InputFile& file) : MappedFile(file.name(), std::string_view()) {
  const bool can_be_mapped = file.can_be_mapped();
  if (can_be_mapped) {
    const auto size = static_cast<std::size_t>(file.size());
    void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (address != MAP_FAILED) {
      content_ = {static_cast<const char*>(address), size};
      mapped.add(this);
      reject_foreign_format(content_, name_);
      return;
    }
  }
  // A file without a size (a pipe, a file in /proc) may still have content, and some file systems
  // map nothing.
  read(file);
  if (can_be_mapped) file.rewind();
}

MappedFile::MappedFile(std::string name, std::string_view content) : name_(std::move(name)) {
  make_room(content.size());
  std::ranges::copy(content, read_.get());
  content_ = {read_.get(), content.size()};
}

void MappedFile::read(InputFile& file) {
  for (std::size_t size = 0;;) {
    const std::size_t wanted = std::max(size, std::size_t{1} << 18);
    make_room(size + wanted);
    const std::size_t got = file.read({read_.get() + size, wanted});
    size += got;
    content_ = {read_.get(), size};
    if (size == got) reject_foreign_format(content_, name_);
    if (got < wanted) return;
  }
}

/// Makes room for `size` bytes in all. The present bytes stay, and move without a copy if they are
/// many.
void MappedFile::make_room(std::size_t size) {
  require_host_memory(static_cast<std::int64_t>(size - content_.size()), name_);
  char* const moved = static_cast<char*>(std::realloc(read_.get(), size));
  if (moved == nullptr && size > 0) throw std::bad_alloc();
  static_cast<void>(read_.release());
  read_.reset(moved);
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
