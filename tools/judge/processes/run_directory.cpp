#include "tools/judge/processes/run_directory.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "bombard/errors.hpp"
#include "tools/judge/program_file.hpp"

namespace bombard::judge {

namespace {

namespace filesystem = std::filesystem;

/// Not write_storm(), because nothing has to wait until these bytes are on the disk.
void write(const Storm& storm, const std::string& path) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "{}\n", storm.impacts.size());
  for (const Impact& impact : storm.impacts) {
    fmt::format_to(std::back_inserter(text), "{} {}\n", impact.position, impact.energy);
  }
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  std::error_code error;  // whatever mask of permissions this process has
  filesystem::permissions(path, filesystem::perms::owner_read | filesystem::perms::owner_write,
                          error);
  if (!file || error)
    throw InputError(fmt::format("{}: cannot be written; is the disk full?", path));
}

}  // namespace

void remove_tree(const std::string& root) {
  std::error_code error, ignored;
  filesystem::permissions(root, filesystem::perms::owner_all, error);
  for (filesystem::recursive_directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->symlink_status(ignored).type() != filesystem::file_type::directory) continue;
    filesystem::permissions(entry->path(), filesystem::perms::owner_all, ignored);
  }
  filesystem::remove_all(root, error);
}

std::string temporary_directory() {
  const char* const named = std::getenv("TMPDIR");
  return named == nullptr || *named == '\0' ? "/tmp" : absolute_path(named);
}

bool starts_programs(const std::string& directory) {
  struct statvfs found {};
  return ::statvfs(directory.c_str(), &found) != 0 || (found.f_flag & ST_NOEXEC) == 0;
}

ScratchDirectory::ScratchDirectory(const std::string& parent, const std::string& name)
    : path_(fmt::format("{}/{}XXXXXX", parent, name)), root_(parent) {
  std::error_code error;
  if (::mkdtemp(path_.data()) == nullptr) {
    error.assign(errno, std::generic_category());
  } else {  // whatever mask of permissions this process has
    filesystem::permissions(path_, filesystem::perms::owner_all, error);
    if (!error) filesystem::create_directory(work(), error);
    if (!error) filesystem::permissions(work(), filesystem::perms::owner_all, error);
    if (error) remove_tree(path_);
  }
  if (!error) return;
  throw InputError(fmt::format("no directory can be made in {}: {}; name another one in TMPDIR",
                               parent, error.message()));
}

ScratchDirectory::ScratchDirectory() : ScratchDirectory(temporary_directory(), "bombard-judge-") {
  root_ = path_;
}

ScratchDirectory::~ScratchDirectory() {
  remove_tree(path_);
}

std::vector<std::string> write_storms(const Case& tried, const std::string& directory) {
  std::vector<std::string> paths;
  for (const Storm& storm : tried.storms) {
    const std::string name = storm_file_name(paths.size() + 1, tried.storms.size());
    paths.push_back(directory + '/' + name);
    write(storm, paths.back());
  }
  return paths;
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
