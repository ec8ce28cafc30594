#include "inputs/shared_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "inputs/output_file.hpp"

namespace bombard {

namespace {

bool begins_with_mark(int descriptor, const SharedPlace& place) {
  std::array<char, sizeof place.mark> found = {};
  const ssize_t count = ::pread(descriptor, found.data(), found.size(), 0);
  return count == static_cast<ssize_t>(found.size()) && found == place.mark;
}

}  // namespace

std::unique_ptr<SharedFile> SharedFile::find(const SharedPlace& place) {
  const char* const partial = place.partial.data();
  const Descriptor reading(::open(partial, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!reading.is_open() || !begins_with_mark(reading.number(), place)) return nullptr;
  Descriptor writing(::open(partial, O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!writing.is_open()) return nullptr;
  return std::unique_ptr<SharedFile>(new SharedFile(place.path.data(), std::move(writing)));
}

void SharedFile::write(std::int64_t first_byte, std::string_view bytes) {
  write_at(file_.number(), first_byte, bytes, path_);
}

void SharedFile::close() {
  // The disk of a file server may be full although it took the bytes.
  if (::fsync(file_.number()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    throw cannot_be_written(path_, errno);
  }
  if (!file_.close()) throw cannot_be_written(path_, errno);
}

}  // namespace bombard
