#include "tools/judge/run_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "bombard/errors.hpp"

namespace bombard::judge {

namespace {

namespace filesystem = std::filesystem;

/// Not write_storm(): nothing has to wait until these bytes are on the disk.
void write(const Storm& storm, const std::string& path) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "{}\n", storm.impacts.size());
  for (const Impact& impact : storm.impacts) {
    fmt::format_to(std::back_inserter(text), "{} {}\n", impact.position, impact.energy);
  }
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) throw InputError(fmt::format("{}: cannot be written; is the disk full?", path));
}

constexpr std::string_view prefix = "bombard-judge-";

/// A lock of a directory; none when another process holds it, or when it is no directory.
Descriptor locked(const std::string& path, int operation) {
  Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (directory.is_open() && ::flock(directory.number(), operation) != 0) directory.close();
  return directory;
}

/// Calls it with each entry of a directory; what it removes meanwhile does not matter.
template <class Call>
void for_each_entry(const std::string& path, const Call& call) {
  std::error_code error;
  std::vector<filesystem::directory_entry> entries;
  for (filesystem::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    entries.push_back(*entry);
  }
  for (const filesystem::directory_entry& entry : entries) call(entry);
}

bool is_directory(const filesystem::directory_entry& entry) {
  std::error_code error;
  return entry.symlink_status(error).type() == filesystem::file_type::directory;
}

/// False when something is left. Directories may be nested deeper than a path can be long, and may
/// be locked: so those in a directory below the root become entries of the root first.
bool remove_tree(const std::string& root) {
  std::size_t moved = 0;
  std::size_t before = 0;
  std::error_code error;
  do {
    before = moved;
    for_each_entry(root, [&](const filesystem::directory_entry& entry) {
      const std::string path = entry.path().string();
      if (is_directory(entry)) {
        ::chmod(path.c_str(), S_IRWXU);
        for_each_entry(path, [&](const filesystem::directory_entry& below) {
          const std::string from = below.path().string();
          if (!is_directory(below)) {
            ::unlink(from.c_str());
            return;
          }
          ::chmod(from.c_str(), S_IRWXU);  // its entry ".." changes
          const std::string to = fmt::format("{}/moved {}", root, moved);
          if (::rename(from.c_str(), to.c_str()) == 0) ++moved;
        });
      }
      filesystem::remove(path, error);
    });
  } while (moved > before);
  return ::rmdir(root.c_str()) == 0;
}

std::string make_temporary_directory() {
  std::error_code error;
  const filesystem::path parent = filesystem::temp_directory_path(error);
  std::string path = (parent / fmt::format("{}XXXXXX", prefix)).string();
  if (error || ::mkdtemp(path.data()) == nullptr) {
    throw InputError(fmt::format("no directory can be made in {}: {}; name another one in TMPDIR",
                                 parent.string(),
                                 error ? error.message() : std::generic_category().message(errno)));
  }
  return path;
}

}  // namespace

ScratchDirectory::ScratchDirectory() {
  do {  // another judge may take it for abandoned before it is locked
    path_ = make_temporary_directory();
    lock_ = locked(path_, LOCK_EX);
  } while (!filesystem::exists(path_));
}

ScratchDirectory::~ScratchDirectory() {
  remove();
}

std::string ScratchDirectory::remove() {
  const std::string path = std::exchange(path_, "");
  if (path.empty() || remove_tree(path)) return {};
  return fmt::format("It leaves files that cannot be removed in {}; see `lsattr -R`.", path);
}

RunDirectory::RunDirectory(const Case& tried) {
  const std::string storms = directory_.path() + "/storms/";
  filesystem::create_directory(storms);
  filesystem::create_directory(work());
  for (std::size_t i = 0; i < tried.storms.size(); ++i) {
    storms_.push_back(storms + storm_file_name(i + 1, tried.storms.size()));
    write(tried.storms[i], storms_.back());
  }
}

void remove_abandoned_directories() {
  std::error_code error;
  const filesystem::path parent = filesystem::temp_directory_path(error);
  for_each_entry(parent.string(), [&](const filesystem::directory_entry& entry) {
    if (!entry.path().filename().string().starts_with(prefix)) return;
    struct stat status {};
    if (::lstat(entry.path().c_str(), &status) != 0 || status.st_uid != ::geteuid()) return;
    const Descriptor lock = locked(entry.path().string(), LOCK_EX | LOCK_NB);
    if (lock.is_open()) remove_tree(entry.path().string());
  });
}

std::int64_t bytes_below(const std::string& directory, std::int64_t enough) {
  constexpr std::int64_t least = 4096;
  std::int64_t bytes = 0;
  std::error_code error;
  const auto skip = filesystem::directory_options::skip_permission_denied;
  for (filesystem::recursive_directory_iterator entry(directory, skip, error), end;
       !error && entry != end && bytes <= enough; entry.increment(error)) {
    std::error_code none;
    const bool is_file = entry->symlink_status(none).type() == filesystem::file_type::regular;
    const auto size = is_file ? static_cast<std::int64_t>(entry->file_size(none)) : 0;
    bytes += none ? least : std::max(size, least);
  }
  return bytes;
}

std::string storm_file_name(std::size_t number, std::size_t storms) {
  return fmt::format("storm_{:0{}}.txt", number, std::to_string(storms).size());
}

}  // namespace bombard::judge
