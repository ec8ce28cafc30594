#include "inputs/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>

#include "inputs/byte_count.hpp"
#include "inputs/signal_safe_list.hpp"
#include "inputs/token.hpp"

namespace bombard {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;

constexpr std::string_view prefix = ".bombard-";
constexpr std::string_view suffix = ".partial";

constinit SignalSafeList<char> existing;

/// Whether the program is ending: a thread that makes a file after that removes it.
constinit std::atomic<bool> ending = false;

/// Whether an open file still stands at this path.
bool is_at(int descriptor, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/// Removes a partial file of ours that no process has locked.
void remove_if_left(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_uid == ::geteuid() && ::flock(file.number(), LOCK_EX | LOCK_NB) == 0 &&
      is_at(file.number(), path)) {
    ::unlink(path.c_str());
  }
}

/// Once per directory: otherwise writing thousands of files into one would list it thousands of
/// times.
void remove_what_was_left_in(const std::string& directory) {
  static std::mutex mutex;
  static std::set<std::string> seen;
  {
    const std::lock_guard lock(mutex);
    if (!seen.insert(directory).second) return;
  }
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(suffix)) remove_if_left(entry->path().string());
  }
}

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
  if (path == "-") {
    throw InputError(
        "- is not the name of an output file: standard output is /dev/stdout, and a file named - "
        "is ./-");
  }
  buffer_.reserve(buffer_size);
  follow_links();
  if (open_.is_open()) return;

  struct stat older {};
  const bool exists = ::stat(target_.c_str(), &older) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if ((exists && S_ISDIR(older.st_mode)) || target_.ends_with('/')) fail(EISDIR);
  if (exists && !S_ISREG(older.st_mode)) {
    open_ = Descriptor(::open(target_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!open_.is_open()) fail(errno);
    return;
  }
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  remove_what_was_left_in(directory_of(target_));
  open_beside();
  if (exists) take_access_from(older);
}

OutputFile::~OutputFile() {
  if (partial_.empty()) return;
  ::unlink(partial_.c_str());
  existing.remove(partial_.c_str());
}

void OutputFile::open_beside() {
  for (std::int64_t number = ::getpid();; ++number) {
    partial_ = fmt::format("{}/{}{}{}", directory_of(target_), prefix, number, suffix);
    existing.add(partial_.c_str());  // before it is there: a signal may come at any time
    open_ = Descriptor(::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    const int error = errno;
    if (ending) {
      if (open_.is_open()) ::unlink(partial_.c_str());
      for (;;) ::pause();  // another thread ends the program
    }
    // Some file systems have no locks. Between opening and locking, another program may have taken
    // the file for one that was left behind.
    if (open_.is_open()) static_cast<void>(::flock(descriptor(), LOCK_EX | LOCK_NB));
    if (is_at(descriptor(), partial_)) return;
    existing.remove(partial_.c_str());
    if (!open_.is_open() && error != EEXIST) fail(error);
  }
}

/// Owner, group and permissions of an older file as far as this process may give them, without its
/// set-user-ID and set-group-ID bits.
void OutputFile::take_access_from(const struct stat& older) const {
  const bool group_kept = ::fchown(descriptor(), older.st_uid, older.st_gid) == 0 ||
                          ::fchown(descriptor(), static_cast<uid_t>(-1), older.st_gid) == 0;
  // Best effort: a file system without permissions refuses, and the file is still right. What the
  // older file's group might do, another group may not.
  static_cast<void>(::fchmod(descriptor(), older.st_mode & (group_kept ? 0777 : 0707)) == 0);
}

/// The file to which the path leads in the end, there or not, so that the rename replaces the file
/// and not a link. An open file (/dev/stdout) is not replaced: its owner should find the new bytes
/// there, after the old ones.
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
  if (buffer_.size() + bytes.size() > buffer_size) empty_buffer();
  if (bytes.size() > buffer_size) return write_directly(bytes);
  buffer_ += bytes;
}

void OutputFile::empty_buffer() {
  write_directly(buffer_);
  buffer_.clear();
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
  empty_buffer();
  if (::lseek(descriptor(), 0, SEEK_SET) < 0) fail(errno);
  write_directly(bytes);
  if (::lseek(descriptor(), 0, SEEK_END) < 0) fail(errno);
}

void OutputFile::commit() {
  empty_buffer();
  // Otherwise the new name could reach the disk before the bytes, and a crash could leave neither
  // file.
  if (!partial_.empty() && ::fsync(descriptor()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    fail(errno);
  }
  if (!open_.close()) fail(errno);
  if (partial_.empty()) return;
  if (std::rename(partial_.c_str(), target_.c_str()) != 0) fail(errno);
  existing.remove(partial_.c_str());
  partial_.clear();
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

void remove_partial_files() noexcept {
  ending = true;
  existing.for_each([](const char& path) { ::unlink(&path); });
}

void make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    throw InputError(fmt::format("{}: cannot be made a directory: {}", path, error.message()));
  }
}

}  // namespace bombard
