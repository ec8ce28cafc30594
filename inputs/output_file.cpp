#include "inputs/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "inputs/errors.hpp"

namespace bombard {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;

/// The directory that holds `path`, "." for a bare name.
std::string directory_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  if (path.empty()) throw InputError("the name of an output file is empty; give a path");
  buffer_.reserve(buffer_size);

  // A link is followed to its end so that the rename replaces what it points at, not the link.
  std::error_code error;
  if (std::filesystem::is_symlink(path, error)) {
    const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, error);
    if (!error) target_ = resolved.string();
  }

  struct stat existing {};
  const bool exists = ::stat(target_.c_str(), &existing) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if ((exists && S_ISDIR(existing.st_mode)) || target_.ends_with('/')) fail(EISDIR);
  if (exists && !S_ISREG(existing.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail(errno);

  const std::string directory = directory_of(target_);
  for (std::int64_t number = ::getpid(); descriptor_ < 0; ++number) {
    partial_ = fmt::format("{}/.bombard-{}.partial", directory, number);
    descriptor_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) {
      partial_.clear();
      fail(errno);
    }
  }
  // Best effort: a file system without permissions refuses, and the file is still right.
  if (exists) static_cast<void>(::fchmod(descriptor_, existing.st_mode & 07777) == 0);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!partial_.empty()) ::unlink(partial_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() <= buffer_size) {
    buffer_ += bytes;
    return;
  }
  write_directly(buffer_);
  buffer_.clear();
  if (bytes.size() < buffer_size) {
    buffer_ += bytes;
  } else {
    write_directly(bytes);
  }
}

void OutputFile::write_directly(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fail(errno);
    }
  }
}

void OutputFile::commit() {
  write_directly(buffer_);
  buffer_.clear();
  // A network file system reports a full disk only here.
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail(errno);
  if (partial_.empty()) return;
  if (std::rename(partial_.c_str(), target_.c_str()) != 0) fail(errno);
  partial_.clear();
}

void OutputFile::fail(int error) const {
  if (error == EISDIR) {
    throw InputError(fmt::format("{}: is a directory; give the name of a file to write", path_));
  }
  if (error == ENOENT || error == ENOTDIR) {
    throw InputError(
        fmt::format("{}: cannot be written: there is no directory \"{}\"; create it first", path_,
                    directory_of(target_)));
  }
  throw InputError(
      fmt::format("{}: cannot be written: {}", path_, std::generic_category().message(error)));
}

void make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    throw InputError(fmt::format("{}: cannot be made a directory: {}", path, error.message()));
  }
}

}  // namespace bombard
