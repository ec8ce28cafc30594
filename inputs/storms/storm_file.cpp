#include "inputs/storms/storm_file.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <filesystem>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/mapped_file.hpp"
#include "inputs/npy.hpp"
#include "inputs/storms/storm_npy.hpp"
#include "inputs/storms/storm_text.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

namespace {

std::int64_t announced_in(const MappedFile& file) {
  if (is_npy(file)) return NpyArray(file).shape().front();
  return announced_impacts(file.content(), file.name());
}

}  // namespace

std::optional<std::int64_t> announced_impacts_of_file(const std::string& path) {
  std::error_code error;  // a path that is no regular file can be read only once
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return {};
  if (std::filesystem::file_size(path, error) == 0) return {};
  const MappedFile file(path);
  try {
    return announced_in(file);
  } catch (const InputError&) {
    return 0;
  }
}

Storm read_storm(const std::string& path) {
  const MappedFile file(path, look_at_storm);
  if (is_npy(file)) return {file.name(), read_storm_npy(file)};
  const std::int64_t announced = announced_in(file);
  require_host_memory(byte_count({announced, sizeof(Impact)}),
                      fmt::format("{}: a storm of {} impacts", file.name(), announced));
  if (auto all = read_storm_lines(file.content(), omp_get_max_threads())) {
    return {file.name(), *std::move(all)};
  }
  return parse_storm(file.content(), file.name());
}

}  // namespace bombard
