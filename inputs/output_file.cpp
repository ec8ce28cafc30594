#include "inputs/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "inputs/byte_count.hpp"
#include "inputs/token.hpp"

namespace bombard {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;

/// The directory that holds `path`, "." for a bare name.
std::string directory_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

/// The number of an open file of this process that a path in /proc names.
std::optional<int> open_file_at(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
  const std::string directory = std::filesystem::canonical(parent, error).string();
  const std::string process = fmt::format("/proc/{}/", ::getpid());
  if (error || !directory.starts_with(process) || !directory.ends_with("/fd")) return {};
  return number_of<int>(path.filename().string());
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  if (path.empty()) throw InputError("the name of an output file is empty; give a path");
  buffer_.reserve(buffer_size);
  follow_links();
  if (open_.is_open()) return;

  struct stat existing {};
  const bool exists = ::stat(target_.c_str(), &existing) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if ((exists && S_ISDIR(existing.st_mode)) || target_.ends_with('/')) fail(EISDIR);
  if (exists && !S_ISREG(existing.st_mode)) {
    open_ = Descriptor(::open(target_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!open_.is_open()) fail(errno);
    return;
  }
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  try {
    partial_.emplace(directory_of(target_));
    if (exists) partial_->take_access_from(existing.st_uid, existing.st_gid, existing.st_mode);
  } catch (const std::system_error& error) {
    fail(error.code().value());
  }
}

/// The file to which the path leads in the end, there or not, so that the rename replaces the file
/// and not a link. An open file (/dev/stdout) is not replaced: its owner shall find the new bytes
/// there, behind the old ones.
void OutputFile::follow_links() {
  constexpr int most_links = 40;  // as in Linux
  for (int links = 0;; ++links) {
    if (const std::optional<int> open = open_file_at(target_)) {
      const int flags = ::fcntl(*open, F_GETFL);
      if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) fail(EBADF);
      open_ = Descriptor(::fcntl(*open, F_DUPFD_CLOEXEC, 0));
      if (!open_.is_open()) fail(errno);
      return;
    }
    std::error_code error;
    const std::filesystem::path link = std::filesystem::read_symlink(target_, error);
    if (error) return;
    if (links == most_links) fail(ELOOP);
    target_ = (std::filesystem::path(target_).parent_path() / link).string();
  }
}

std::optional<std::int64_t> OutputFile::room() const {
  struct stat status {};
  struct statvfs disk {};
  if (::fstat(descriptor(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (::fstatvfs(descriptor(), &disk) != 0) return {};
  return byte_count(
      {static_cast<std::int64_t>(disk.f_bavail), static_cast<std::int64_t>(disk.f_frsize)});
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
    const ssize_t written = ::write(descriptor(), bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fail(errno);
    }
  }
}

void OutputFile::write_over(std::string_view bytes) {
  write_directly(buffer_);
  buffer_.clear();
  for (std::int64_t place = 0; !bytes.empty();) {
    const ssize_t written = ::pwrite(descriptor(), bytes.data(), bytes.size(), place);
    if (written < 0 && errno != EINTR) fail(errno);
    if (written < 0) continue;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    place += written;
  }
}

void OutputFile::commit() {
  write_directly(buffer_);
  buffer_.clear();
  if (!partial_) {
    if (!open_.close()) fail(errno);
    return;
  }
  try {
    partial_->rename_to(target_);
  } catch (const std::system_error& error) {
    fail(error.code().value());
  }
}

void OutputFile::fail(int error) const {
  if (error == EISDIR) {
    throw InputError(fmt::format("{}: is a directory; give the name of a file to write", path_));
  }
  const std::string directory = directory_of(target_);
  std::error_code ignored;
  if (error == ENOENT && std::filesystem::is_directory(directory, ignored)) {
    throw InputError(fmt::format(
        "{}: cannot be written: no file can be made in \"{}\"; write into another directory", path_,
        directory));
  }
  if (error == ENOENT || error == ENOTDIR) {
    throw InputError(fmt::format(
        "{}: cannot be written: there is no directory \"{}\"; create it first", path_, directory));
  }
  throw InputError(
      fmt::format("{}: cannot be written: {}", path_, std::generic_category().message(error)));
}

void write_whole(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    throw InputError(fmt::format("{}: cannot be made a directory: {}", path, error.message()));
  }
}

}  // namespace bombard
