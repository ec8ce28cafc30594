#include "inputs/storms/storm_file.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/foreign_format.hpp"
#include "inputs/mapped_file.hpp"
#include "inputs/npy.hpp"
#include "inputs/separators.hpp"
#include "inputs/storms/storm_lines.hpp"
#include "inputs/storms/storm_npy.hpp"
#include "inputs/storms/storm_text.hpp"
#include "inputs/token.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

namespace {

/// Bytes that tell a format from others.
constexpr std::size_t longest_magic = 8;

std::int64_t announced_rows(const MappedFile& file) {
  try {
    return NpyArray(file).shape().front();
  } catch (const InputError&) {
    return 0;
  }
}

std::int64_t announced_pairs(std::string_view text) {
  text = without_byte_order_mark(text);
  const char* at = text.data();
  const char* const end = at + text.size();
  Separators().skip(at, end);
  if (at == end) return 0;
  const std::int64_t count =
      take_integer(at, end, "count", 0, std::numeric_limits<std::int64_t>::max(),
                   [](const std::string&) { return std::int64_t{0}; });
  return std::min(count, most_pairs(text.size()));
}

}  // namespace

StormFile::StormFile(const std::string& path) : file_(path) {
  if (!file_.can_be_mapped()) return;
  const MappedFile mapped(file_);
  is_npy_ = is_npy(mapped);
  announced_ = is_npy_ ? announced_rows(mapped) : announced_pairs(mapped.content());
}

Storm StormFile::read() {
  if (!file_.can_be_mapped()) return read_once();
  if (!is_npy_) {
    require_host_memory(byte_count({*announced_, sizeof(Impact)}),
                        fmt::format("{}: a storm of {} impacts", file_.name(), *announced_));
  }
  if (auto all = read_part(StormPart::whole(omp_get_max_threads()))) {
    return {file_.name(), std::move(all->impacts)};
  }
  return parse_storm(MappedFile(file_).content(), file_.name());
}

std::optional<ImpactsOfPart> StormFile::read_part(const StormPart& part) {
  if (!file_.can_be_mapped()) return {};
  const MappedFile mapped(file_);
  if (is_npy_) return read_storm_npy(mapped, part);
  return read_storm_lines(mapped.content(), part);
}

/// A pipe, or standard input: how it begins says what it is, and can be read only once.
Storm StormFile::read_once() {
  char begin[longest_magic];
  const std::string_view begun(begin, file_.read(begin));
  reject_foreign_format(begun, file_.name());
  if (begins_as_npy(begun)) {
    return {file_.name(), read_storm_npy(MappedFile(file_, begun), StormPart::whole(1)).impacts};
  }
  return read_storm_text(file_, begun);
}

}  // namespace bombard
