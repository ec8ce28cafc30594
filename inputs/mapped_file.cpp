#include "inputs/mapped_file.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace bombard {

MappedFile::MappedFile(const std::string& path) : file_(path) {
  // Standard input may stand somewhere inside its file; a regular file without a size (in /proc)
  // may still have content.
  if (const std::size_t size = static_cast<std::size_t>(file_.size()); path != "-" && size > 0) {
    void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file_.descriptor(), 0);
    if (address != MAP_FAILED) {
      content_ = {static_cast<const char*>(address), size};
      return;
    }
  }
  std::size_t size = 0;
  for (;;) {
    read_.resize(size + std::max(size, std::size_t{1} << 18));
    const std::size_t wanted = read_.size() - size;
    const std::size_t got = file_.read({read_.data() + size, wanted});
    size += got;
    if (got < wanted) break;
  }
  read_.resize(size);
  content_ = {read_.data(), size};
}

MappedFile::~MappedFile() {
  if (read_.data() != content_.data()) {
    ::munmap(const_cast<char*>(content_.data()), content_.size());
  }
}

}  // namespace bombard
