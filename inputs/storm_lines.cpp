#include "inputs/storm_lines.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "inputs/integer_scanner.hpp"

namespace bombard {

namespace {

/// Bytes that a line's two numbers take at most, and the scanner may look at behind them.
constexpr std::ptrdiff_t line_margin = 32 + scan_margin;

/// Reads as many lines as there is room for from `at` on; false when one looks any different.
bool read_lines(const char* at, const char* end, std::span<Impact> impacts) {
  std::string tail;  // the last lines, with something behind them to look at
  for (Impact& impact : impacts) {
    if (end - at < line_margin && tail.empty()) {
      tail.assign(at, end);
      tail.resize(tail.size() + line_margin);
      at = tail.data();
      end = at + tail.size();
    }
    if (end - at < line_margin) return false;
    std::int64_t position;
    std::int64_t energy;
    bool good = scan_integer(at, position);
    good &= *at++ == ' ';
    good &= scan_integer(at, energy);
    good &= *at++ == '\n';
    impact = {position, static_cast<std::int32_t>(energy)};
    if (!good || energy != impact.energy) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<Impact>> read_storm_lines(std::string_view text,
                                                    std::size_t section_size) {
  const std::size_t first_line = text.find('\n');
  if (first_line == std::string_view::npos || first_line == 0 || text.back() != '\n') return {};
  const IntegerToken count = parse_integer(text.substr(0, first_line), "count", 1,
                                           std::numeric_limits<std::int64_t>::max());
  if (!count.problem.empty()) return {};
  const std::string_view body = text.substr(first_line + 1);

  const char* const end = text.data() + text.size();
  const std::int64_t sections =
      static_cast<std::int64_t>((body.size() + section_size - 1) / section_size);
  // A line begins behind a line feed, so that section k's first is looked for from here on.
  const auto begin_of = [&](std::int64_t k) {
    return body.data() - 1 + std::min(static_cast<std::size_t>(k) * section_size, body.size());
  };

  // How many lines begin in each section, then in those before it.
  std::vector<std::int64_t> lines(static_cast<std::size_t>(sections) + 1);
#pragma omp parallel for if (sections > 1)
  for (std::int64_t k = 0; k < sections; ++k) {
    lines[k] = std::count(begin_of(k), begin_of(k + 1), '\n');
  }
  std::int64_t total = 0;
  for (std::int64_t& number : lines) total += std::exchange(number, total);
  if (total != count.value) return {};

  std::vector<Impact> impacts;
  try {
    impacts.resize(static_cast<std::size_t>(total));
  } catch (const std::bad_alloc&) {
    return {};
  }
  std::atomic<bool> good = true;
#pragma omp parallel for schedule(dynamic) if (sections > 1)
  for (std::int64_t k = 0; k < sections; ++k) {
    const std::span own(impacts.data() + lines[k], impacts.data() + lines[k + 1]);
    if (own.empty() || !good) continue;
    const char* const first = std::find(begin_of(k), end, '\n') + 1;
    if (!read_lines(first, end, own)) good = false;
  }
  if (!good) return {};
  return impacts;
}

}  // namespace bombard
