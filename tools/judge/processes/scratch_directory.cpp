#include "tools/judge/processes/scratch_directory.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

#include "bombard/errors.hpp"
#include "tools/judge/program_file.hpp"

namespace bombard::judge {

namespace filesystem = std::filesystem;

namespace {

void unlock(const filesystem::path& folder) {
  std::error_code ignored;
  filesystem::permissions(folder, filesystem::perms::owner_all, ignored);
}

/// The folders in a folder, unlocked. Links to folders are none.
std::vector<filesystem::path> folders_in(const filesystem::path& folder) {
  std::vector<filesystem::path> found;
  std::error_code error, ignored;
  for (filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->symlink_status(ignored).type() != filesystem::file_type::directory) continue;
    unlock(entry->path());
    found.push_back(entry->path());
  }
  return found;
}

}  // namespace

void remove_tree(const std::string& root) {
  std::error_code error;
  unlock(root);
  // Folders move up into the root until none has another one in it: then no path is long, and few
  // folders are open at a time.
  std::size_t moved = 0;
  for (bool are_nested = true; are_nested;) {
    are_nested = false;
    for (const filesystem::path& folder : folders_in(root)) {
      for (const filesystem::path& inner : folders_in(folder)) {
        filesystem::rename(inner, fmt::format("{}/moved-up-{}", root, ++moved), error);
        are_nested = are_nested || !error;
      }
      filesystem::remove_all(folder, error);
    }
  }
  filesystem::remove_all(root, error);
}

std::string temporary_directory() {
  const char* const named = ::getenv("TMPDIR");
  return named == nullptr || *named == '\0' ? "/tmp" : absolute_path(named);
}

ScratchDirectory::ScratchDirectory(const std::string& parent, const std::string& name)
    : path_(fmt::format("{}/{}XXXXXX", parent, name)), root_(path_) {
  std::error_code error;
  if (::mkdtemp(path_.data()) == nullptr) error.assign(errno, std::generic_category());
  if (!error) filesystem::create_directory(work(), error);
  for (filesystem::path of = path_; of.has_relative_path(); of = of.parent_path()) {
    std::error_code none;
    rights_.insert(rights_.begin(), {of, filesystem::status(of, none).permissions()});
  }
  if (!error) return;
  throw InputError(fmt::format("no directory can be made in {}: {}; name another one in TMPDIR",
                               parent, error.message()));
}

ScratchDirectory::ScratchDirectory() : ScratchDirectory(temporary_directory(), "bombard-judge-") {
  root_ = path_;
}

ScratchDirectory::ScratchDirectory(const ScratchDirectory& outer)
    : ScratchDirectory(outer.path(), "") {
  root_ = outer.root();
}

void ScratchDirectory::restore_rights() const {
  for (const auto& [path, rights] : rights_) {
    std::error_code error;
    if (filesystem::status(path, error).permissions() == rights) continue;
    filesystem::permissions(path, rights, error);
  }
}

std::int64_t ScratchDirectory::bytes() const {
  constexpr std::int64_t least = 4096;
  constexpr int deepest = 200;
  std::int64_t bytes = 0;
  std::error_code error;
  const auto skip = filesystem::directory_options::skip_permission_denied;
  for (filesystem::recursive_directory_iterator entry(work(), skip, error), end;
       !error && entry != end; entry.increment(error)) {
    // Below that nothing can be counted: each of them is open, and a path becomes too long.
    if (entry.depth() == deepest) return std::numeric_limits<std::int64_t>::max();
    std::error_code none;
    const bool is_file = entry->symlink_status(none).type() == filesystem::file_type::regular;
    const auto size = is_file ? static_cast<std::int64_t>(entry->file_size(none)) : 0;
    bytes += none ? least : std::max(size, least);
  }
  return bytes;
}

}  // namespace bombard::judge
