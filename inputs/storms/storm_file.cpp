#include "inputs/storms/storm_file.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <utility>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/mapped_file.hpp"
#include "inputs/npy.hpp"
#include "inputs/storms/storm_lines.hpp"
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

StormFile::StormFile(const std::string& path) : file_(path) {
  if (!file_.can_be_mapped()) return;
  const MappedFile mapped(file_);
  try {
    announced_ = announced_in(mapped);
  } catch (const InputError&) {
    announced_ = 0;
  }
}

Storm StormFile::read() {
  const MappedFile file(file_);
  if (is_npy(file)) return {name(), read_storm_npy(file)};
  const std::int64_t announced = announced_in(file);
  require_host_memory(byte_count({announced, sizeof(Impact)}),
                      fmt::format("{}: a storm of {} impacts", name(), announced));
  if (auto all = read_storm_lines(file.content(), omp_get_max_threads())) {
    return {name(), *std::move(all)};
  }
  return parse_storm(file.content(), name());
}

}  // namespace bombard
