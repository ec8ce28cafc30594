#include "inputs/partial_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>

#include "inputs/signal_safe_list.hpp"

namespace bombard {

namespace {

constexpr std::string_view prefix = ".bombard-";
constexpr std::string_view suffix = ".partial";

constinit SignalSafeList<char> existing;

/// The program ends: a thread that makes a file after this removes it.
constinit std::atomic<bool> ending = false;

[[noreturn]] void fail(int error) {
  throw std::system_error(error, std::generic_category());
}

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

/// Once a directory: to write thousands of files into one would list it as often.
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

}  // namespace

PartialFile::PartialFile(const std::string& directory) {
  remove_what_was_left_in(directory);
  for (std::int64_t number = ::getpid();; ++number) {
    path_ = fmt::format("{}/{}{}{}", directory, prefix, number, suffix);
    existing.add(path_.c_str());  // before it is there: a signal may come at any time
    descriptor_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    const int error = errno;
    if (ending) {
      if (descriptor_.is_open()) ::unlink(path_.c_str());
      for (;;) ::pause();  // another thread ends the program
    }
    // Some file systems have no locks. Between opening and locking another program may have taken
    // the file for one that was left.
    if (descriptor_.is_open()) static_cast<void>(::flock(descriptor(), LOCK_EX | LOCK_NB));
    if (is_at(descriptor(), path_)) return;
    existing.remove(path_.c_str());
    if (!descriptor_.is_open() && error != EEXIST) fail(error);
  }
}

PartialFile::~PartialFile() {
  if (path_.empty()) return;
  ::unlink(path_.c_str());
  existing.remove(path_.c_str());
}

void PartialFile::take_access_from(uid_t owner, gid_t group, mode_t mode) const {
  const bool group_kept = ::fchown(descriptor(), owner, group) == 0 ||
                          ::fchown(descriptor(), static_cast<uid_t>(-1), group) == 0;
  // Best effort: a file system without permissions refuses, and the file is still right. What the
  // older file's group might do, another group may not.
  static_cast<void>(::fchmod(descriptor(), mode & (group_kept ? 0777 : 0707)) == 0);
}

void PartialFile::rename_to(const std::string& target) {
  // Else the new name could reach the disk before the bytes, and a crash leave neither file.
  if (::fsync(descriptor()) != 0 && errno != EINVAL && errno != ENOTSUP) fail(errno);
  if (!descriptor_.close()) fail(errno);
  if (std::rename(path_.c_str(), target.c_str()) != 0) fail(errno);
  existing.remove(path_.c_str());
  path_.clear();
}

void remove_partial_files() noexcept {
  ending = true;
  existing.for_each([](const char& path) { ::unlink(&path); });
}

}  // namespace bombard
