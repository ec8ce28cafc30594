#include "tools/judge/run_directory.hpp"

#include <fmt/format.h>
#include <fts.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "bombard/errors.hpp"

namespace bombard::judge {

namespace {

namespace filesystem = std::filesystem;

/// Not write_storm(): nobody waits until these bytes are on the disk.
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

std::string make_temporary_directory() {
  std::error_code error;
  const filesystem::path parent = filesystem::temp_directory_path(error);
  std::string path = (parent / "bombard-judge-XXXXXX").string();
  if (error || ::mkdtemp(path.data()) == nullptr) {
    throw InputError(fmt::format("no directory can be made in {}: {}; name another one in TMPDIR",
                                 parent.string(),
                                 error ? error.message() : std::generic_category().message(errno)));
  }
  return path;
}

/// With fts, which goes into directories of any depth; a program may have forbidden to enter them.
void remove_tree(std::string path) {
  const std::array<char*, 2> roots{path.data(), nullptr};
  FTS* const tree = ::fts_open(roots.data(), FTS_PHYSICAL | FTS_XDEV, nullptr);
  if (tree == nullptr) return;
  while (const FTSENT* const entry = ::fts_read(tree)) {
    if (entry->fts_info == FTS_D) {
      ::chmod(entry->fts_accpath, S_IRWXU);  // before it is entered
    } else if (entry->fts_info == FTS_DP || entry->fts_info == FTS_DNR) {
      ::rmdir(entry->fts_accpath);
    } else {
      ::unlink(entry->fts_accpath);
    }
  }
  ::fts_close(tree);
}

}  // namespace

ScratchDirectory::ScratchDirectory() : path_(make_temporary_directory()) {}

ScratchDirectory::~ScratchDirectory() {
  remove_tree(path_);
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
