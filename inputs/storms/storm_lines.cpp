#include "inputs/storms/storm_lines.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "inputs/integer_scanner.hpp"

namespace bombard {

namespace {

/// Bytes that a line's two numbers take at most, and the scanner may look at behind them.
constexpr std::ptrdiff_t line_margin = 32 + scan_margin;

/// Fills `impacts` from the lines from `at` on, one line for each; false when a line looks
/// different.
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

/// A text whose first line is a count.
struct CountedLines {
  std::string_view text, body;
  std::int64_t count;
};

std::optional<CountedLines> counted_lines(std::string_view text) {
  const std::size_t first_line = text.find('\n');
  if (first_line == std::string_view::npos || first_line == 0 || text.back() != '\n') return {};
  const IntegerToken count = parse_integer(text.substr(0, first_line), "count", 1,
                                           std::numeric_limits<std::int64_t>::max());
  if (!count.problem.empty()) return {};
  return CountedLines{text, text.substr(first_line + 1), count.value};
}

/// The sections of the bytes [from, to) of a body, and how many lines begin in them.
class Sections {
 public:
  Sections(const CountedLines& lines, std::size_t from, std::size_t to, std::size_t section_size,
           int threads)
      : end_(lines.text.data() + lines.text.size()),
        // A line begins behind a line feed, so that a section's first is looked for from here on.
        first_(lines.body.data() - 1 + from),
        bytes_(to - from),
        section_size_(section_size),
        sections_(static_cast<std::int64_t>((bytes_ + section_size - 1) / section_size)),
        threads_(threads),
        lines_(static_cast<std::size_t>(sections_) + 1) {
#pragma omp parallel for num_threads(threads_) if (sections_ > 1)
    for (std::int64_t k = 0; k < sections_; ++k) {
      lines_[k] = std::count(begin_of(k), begin_of(k + 1), '\n');
    }
    std::int64_t total = 0;
    for (std::int64_t& number : lines_) total += std::exchange(number, total);
  }

  std::int64_t lines() const {
    return lines_.back();
  }

  /// Nothing where a line looks different.
  std::optional<std::vector<Impact>> read() const {
    std::vector<Impact> impacts(static_cast<std::size_t>(lines()));
    std::atomic<bool> good = true;
#pragma omp parallel for schedule(dynamic) num_threads(threads_) if (sections_ > 1)
    for (std::int64_t k = 0; k < sections_; ++k) {
      const std::span own(impacts.data() + lines_[k], impacts.data() + lines_[k + 1]);
      if (own.empty() || !good) continue;
      const char* const first = std::find(begin_of(k), end_, '\n') + 1;
      if (!read_lines(first, end_, own)) good = false;
    }
    if (!good) return {};
    return impacts;
  }

 private:
  const char* begin_of(std::int64_t k) const {
    return first_ + std::min(static_cast<std::size_t>(k) * section_size_, bytes_);
  }

  const char *end_, *first_;
  std::size_t bytes_, section_size_;
  std::int64_t sections_;
  int threads_;
  std::vector<std::int64_t> lines_;  ///< in the sections before each
};

}  // namespace

std::optional<ImpactsOfPart> read_storm_lines(std::string_view text, const StormPart& part,
                                              std::size_t section_size) {
  const std::optional<CountedLines> lines = counted_lines(text);
  if (!lines) return {};
  const auto bytes = static_cast<std::int64_t>(lines->body.size());
  const Sections sections(*lines, static_cast<std::size_t>(part.begin_of(bytes)),
                          static_cast<std::size_t>(part.end_of(bytes)), section_size, part.threads);
  const std::int64_t behind = lines->count - sections.lines();
  if (behind < 0 || (behind > 0 && part.parts == 1)) return {};
  std::optional<std::vector<Impact>> impacts = sections.read();
  if (!impacts) return {};
  return ImpactsOfPart{lines->count, std::move(*impacts)};
}

}  // namespace bombard
