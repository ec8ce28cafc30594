#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "inputs/storms/storm_text.hpp"
#include "inputs/token.hpp"
#include "kernels/base/share_out.hpp"

namespace bombard {

namespace {

/// Fills `impacts` from the lines from `at` on, one line for each; false when a line looks
/// different.
bool read_lines(const char* at, const char* end, char between, std::span<Impact> impacts) {
  const auto take = [&](auto& value, char behind) {
    const auto [stop, error] = std::from_chars(at, end, value);
    at = stop + 1;
    return error == std::errc{} && stop != end && *stop == behind;
  };
  return std::ranges::all_of(impacts, [&](Impact& impact) {
    return take(impact.position, between) && take(impact.energy, '\n') &&
           impact.position >= -largest_position && impact.position <= largest_position;
  });
}

}  // namespace

std::optional<std::vector<Impact>> read_storm_lines(std::string_view text, char between,
                                                    std::int64_t count, int threads,
                                                    std::size_t section_size) {
  if (count < 1 || !text.ends_with('\n')) return {};
  const auto sections = static_cast<std::int64_t>((text.size() + section_size - 1) / section_size);
  // A line begins behind a line feed, which is looked for from here on; before the first line there
  // is none.
  const auto begin_of = [&](std::int64_t k) {
    const std::size_t begin = std::min(static_cast<std::size_t>(k) * section_size, text.size());
    return text.data() + std::max<std::size_t>(begin, 1) - 1;
  };
  std::vector<std::int64_t> lines(static_cast<std::size_t>(sections) + 1);  // before each section
  const auto each_section = [&](const auto& work) {
    cpu::share_out(sections, threads, [&](const auto& each) { each(work); });
  };
  each_section([&](std::int64_t k) {
    lines[k] = std::count(begin_of(k), begin_of(k + 1), '\n') + (k == 0 ? 1 : 0);
  });
  std::exclusive_scan(lines.begin(), lines.end(), lines.begin(), std::int64_t{0});
  if (count != lines.back()) return {};

  std::vector<Impact> impacts(static_cast<std::size_t>(lines.back()));
  std::atomic<bool> good = true;
  each_section([&](std::int64_t k) {
    const std::span own(impacts.data() + lines[k], impacts.data() + lines[k + 1]);
    if (own.empty() || !good) return;
    const char* const end = text.data() + text.size();
    const char* const at = k == 0 ? text.data() : std::find(begin_of(k), end, '\n') + 1;
    if (!read_lines(at, end, between, own)) good = false;
  });
  if (!good) return {};
  return impacts;
}

}  // namespace bombard
