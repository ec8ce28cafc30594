#include "inputs/storms/storm_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

namespace {

/// Text comes last: it may begin in any way, and says what a storm is.
constexpr const StormFormat* formats[] = {&storm_npy, &storm_csv, &storm_text};

const StormFormat& format_of(const InputFile& begun) {
  return **std::ranges::find_if(formats, [&](const auto* format) { return format->begins(begun); });
}

}  // namespace

std::span<const StormFormat* const> storm_formats() {
  return formats;
}

std::optional<std::int64_t> announced_impacts_of_file(const std::string& path) {
  std::error_code error;  // a path that is not a regular file can be read only once
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return {};
  if (std::filesystem::file_size(path, error) == 0) return {};
  const InputFile file(path);
  try {
    return format_of(file).announced(file);
  } catch (const InputError&) {
    return 0;
  }
}

Storm read_storm(const std::string& path) {
  const InputFile file(path);
  const StormFormat& format = format_of(file);
  const std::int64_t announced = format.announced(file);
  require_host_memory(byte_count({announced, sizeof(Impact)}),
                      fmt::format("{}: a storm of {} impacts", file.name(), announced));
  return {file.name(), format.read(file, announced)};
}

void write_storm(const Storm& storm, const std::string& path, const StormFormat& format) {
  OutputFile file(path);
  format.write(storm.impacts, file);
  file.commit();
}

}  // namespace bombard
