#include "inputs/storms/storm_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "inputs/storms/storm_file.hpp"
#include "inputs/write_line.hpp"
#include "kernels/base/cores.hpp"

namespace bombard {

namespace {

std::string pairs(std::int64_t number) {
  return fmt::format("{} pair{}", number, number == 1 ? "" : "s");
}

/// Takes the count, with which a storm begins.
std::int64_t take_count(NumberText& numbers) {
  if (!numbers.next()) {
    numbers.fail("no count: the file is empty; a storm begins with the number of its impacts");
  }
  return numbers.integer("count", 0, std::numeric_limits<std::int64_t>::max() - 1);
}

/// What a text of this size can hold, at most.
std::int64_t announced_in_text(const InputFile& file) {
  constexpr std::int64_t bytes_of_pair = 4;  // two digits with the white space behind them
  NumberText numbers(file.content(), file.name());
  return std::min(take_count(numbers), std::ssize(file.content()) / bytes_of_pair + 1);
}

/// The count, then this number of pairs, and nothing else. Between the numbers is what
/// inputs/number_text.hpp says.
std::vector<Impact> read_pairs(const InputFile& file, std::int64_t announced) {
  NumberText numbers(file.content(), file.name());
  std::vector<Impact> impacts;
  impacts.reserve(static_cast<std::size_t>(announced));
  const std::int64_t count = take_count(numbers);
  const char* const behind_count = numbers.at();
  const auto says = [&] {
    return fmt::format("the count on line {} says", numbers.line_of(behind_count));
  };
  for (std::int64_t read = 0; read < count; ++read) {
    const char* const last = numbers.at();
    if (!numbers.next()) {
      numbers.fail(fmt::format("{} {} but the file holds {}", says(), pairs(count), read), last);
    }
    const std::int64_t position = take_position(numbers);
    const char* const behind_position = numbers.at();
    if (!numbers.next()) {
      numbers.fail(fmt::format("position {} has no energy: the file ends here, in pair {} of the "
                               "{} that {}",
                               position, read + 1, count, says()),
                   behind_position);
    }
    impacts.push_back({position, take_energy(numbers)});
  }
  if (numbers.next()) {
    numbers.fail(fmt::format("data {} after the last pair; {} {}", in_quotes(numbers.token()),
                             says(), pairs(count)));
  }
  return impacts;
}

std::vector<Impact> read_text(const InputFile& file, std::int64_t announced) {
  const std::string_view text = file.content();
  const std::string_view first_line = text.substr(0, text.find('\n') + 1);
  if (number_of<std::int64_t>(first_line.substr(0, first_line.size() - 1)) == announced) {
    const std::string_view lines = text.substr(first_line.size());
    if (auto all = read_storm_lines(lines, ' ', announced, default_threads())) {
      return *std::move(all);
    }
  }
  return read_pairs(file, announced);
}

bool is_any_text(const InputFile&) {
  return true;
}

void write_as_text(std::span<const Impact> impacts, OutputFile& file) {
  write_line(file, impacts.size());
  for (const Impact& impact : impacts) write_line(file, impact.position, impact.energy);
}

}  // namespace

extern constinit const StormFormat storm_text{"text", is_any_text, announced_in_text, read_text,
                                              write_as_text};

}  // namespace bombard
