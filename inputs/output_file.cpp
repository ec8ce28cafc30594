#include "inputs/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include "kernels/base/stoppable_work.hpp"

namespace bombard {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;

/// The directory that holds `path`, "." for a bare name.
std::string directory_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

/// Where a symbolic link points, perhaps through others; another path as it is. The path is not a
/// ring of links.
std::string behind_links(std::filesystem::path path) {
  for (;;) {
    std::error_code error;
    const std::filesystem::path link = std::filesystem::read_symlink(path, error);
    if (error) return path.string();
    path = path.parent_path() / link;
  }
}

/// The permissions of a new file. The mask can only be asked for by setting it.
unsigned usual_permissions() {
  static const mode_t mask = [] {
    const mode_t before = ::umask(0);
    ::umask(before);
    return before;
  }();
  return 0666 & ~mask;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  if (path.empty()) throw InputError("the name of an output file is empty; give a path");
  if (path == "-") {
    throw InputError(
        "- is not the name of an output file: standard output is /dev/stdout, and a file named - "
        "is ./-");
  }
  buffer_.reserve(buffer_size);
  struct stat older {};
  const bool exists = ::stat(path.c_str(), &older) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if ((exists && S_ISDIR(older.st_mode)) || path.ends_with('/')) fail(EISDIR);
  if (path == "/dev/stdout") {
    // Opened by its path, it would begin at another place of a file than what comes later, and a
    // socket could not be opened.
    open_ = Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!open_.is_open()) fail(errno);
    return;
  }
  if (exists && !S_ISREG(older.st_mode)) {
    open_as_it_is(S_ISFIFO(older.st_mode));
    return;
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) fail(errno);
  target_ = behind_links(path);
  open_beside(exists ? &older : nullptr);
}

OutputFile::~OutputFile() {
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

void OutputFile::open_as_it_is(bool is_pipe) {
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(20))) {
    open_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK));
    if (open_.is_open()) return;
    if (!is_pipe || errno != ENXIO) fail(errno);
    StoppableWork::may_stop();  // it has no reader yet
  }
}

void OutputFile::open_beside(const struct stat* older) {
  // The name of a file has 255 bytes at most.
  constexpr std::size_t longest = NAME_MAX - std::string_view("..XXXXXX").size();
  const std::string own_name = std::filesystem::path(target_).filename().string();
  std::string name =
      fmt::format("{}/.{}.XXXXXX", directory_of(target_), own_name.substr(0, longest));
  open_ = Descriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (!open_.is_open()) fail(errno);
  beside_ = name;
  unsigned permissions = usual_permissions();
  if (older != nullptr) {
    const int file = open_.number();
    const bool same_group = ::fchown(file, older->st_uid, older->st_gid) == 0 ||
                            ::fchown(file, static_cast<uid_t>(-1), older->st_gid) == 0;
    // What the older file's group might do, another one may not.
    permissions = older->st_mode & (same_group ? 0777 : 0707);
  }
  // A file system without permissions refuses, and the file is still right.
  static_cast<void>(::fchmod(open_.number(), permissions));
}

std::optional<std::int64_t> OutputFile::room() const {
  std::error_code error;
  const std::filesystem::space_info disk = std::filesystem::space(beside_, error);
  if (beside_.empty() || error) return {};
  return static_cast<std::int64_t>(disk.available);
}

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_size) empty_buffer();
  if (bytes.size() > buffer_size) return write_directly(bytes);
  buffer_ += bytes;
}

void OutputFile::empty_buffer() {
  write_directly(buffer_);
  buffer_.clear();
}

void OutputFile::write_directly(std::string_view bytes) {
  if (const int error = write_all(open_.number(), bytes); error != 0) fail(error);
}

void OutputFile::write_over(std::string_view bytes) {
  empty_buffer();
  if (::lseek(open_.number(), 0, SEEK_SET) < 0) fail(errno);
  write_directly(bytes);
  if (::lseek(open_.number(), 0, SEEK_END) < 0) fail(errno);
}

void OutputFile::commit() {
  empty_buffer();
  // Otherwise the new name could reach the disk before the bytes, and a crash could leave neither
  // file. Some file systems cannot.
  if (!beside_.empty() && ::fsync(open_.number()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    fail(errno);
  }
  if (!open_.close()) fail(errno);
  if (beside_.empty()) return;
  if (std::rename(beside_.c_str(), target_.c_str()) != 0) fail(errno);
  beside_.clear();
}

void OutputFile::fail(int error) const {
  if (error == EISDIR) {
    throw InputError(fmt::format("{}: is a directory; give the name of a file to write", path_));
  }
  if (error == ENOENT || error == ENOTDIR) {
    throw InputError(
        fmt::format("{}: cannot be written: no file can be made in \"{}\"; create this directory "
                    "first, or write into another one",
                    path_, directory_of(target_)));
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
