#include "inputs/mapped_file.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "inputs/signal_safe_list.hpp"

namespace bombard {

namespace {

constinit SignalSafeList<MappedFile> mapped;

}  // namespace

MappedFile::MappedFile(const std::string& path) : MappedFile(InputFile(path)) {}

MappedFile::MappedFile(InputFile& file, std::string_view begun)
    : name_(file.name()), read_(begun.begin(), begun.end()) {
  const bool can_be_mapped = file.can_be_mapped();
  if (can_be_mapped) {
    const auto size = static_cast<std::size_t>(file.size());
    void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (address != MAP_FAILED) {
      content_ = {static_cast<const char*>(address), size};
      mapped.add(this);
      return;
    }
  }
  // A file without a size (a pipe, a file in /proc) may still have content, and some file systems
  // map nothing.
  std::size_t size = begun.size();
  for (;;) {
    read_.resize(size + std::max(size, std::size_t{1} << 18));
    const std::size_t wanted = read_.size() - size;
    const std::size_t got = file.read({read_.data() + size, wanted});
    size += got;
    if (got < wanted) break;
  }
  if (can_be_mapped) file.rewind();
  read_.resize(size);
  content_ = {read_.data(), size};
}

MappedFile::MappedFile(std::string name, std::string_view content)
    : name_(std::move(name)), read_(content.begin(), content.end()) {
  content_ = {read_.data(), read_.size()};
}

MappedFile::~MappedFile() {
  if (read_.data() != content_.data()) {
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
