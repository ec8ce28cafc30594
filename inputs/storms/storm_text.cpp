#include "inputs/storms/storm_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "inputs/number_text.hpp"
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
  using Count = std::numeric_limits<std::int64_t>;
  constexpr const char* begins = "a storm begins with the number of its impacts";
  if (!numbers.next()) numbers.fail(fmt::format("no count: the file is empty; {}", begins));
  const std::string_view token = numbers.token();
  const char* const at = numbers.at();
  const std::int64_t count = numbers.integer("count", Count::min(), Count::max());
  if (count < 0) {
    numbers.fail(fmt::format("count {} is negative; {}", in_quotes(token), begins), at);
  }
  if (count == Count::max()) {  // and what is beyond it
    numbers.fail(fmt::format("count {} is more than any file holds; {}", in_quotes(token), begins),
                 at);
  }
  return count;
}

std::int64_t announced_impacts(std::string_view text, const std::string& name) {
  constexpr std::size_t bytes_of_pair = 4;  // two digits with the white space behind them
  NumberText numbers(text, name);
  return std::min(take_count(numbers), static_cast<std::int64_t>(text.size() / bytes_of_pair + 1));
}

}  // namespace

std::vector<Impact> parse_storm(std::string_view text, const std::string& name) {
  NumberText numbers(text, name);
  std::vector<Impact> impacts;
  impacts.reserve(static_cast<std::size_t>(announced_impacts(text, name)));
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
    const std::int64_t position = numbers.integer("position", -largest_position, largest_position);
    const char* const behind_position = numbers.at();
    if (!numbers.next()) {
      numbers.fail(fmt::format("position {} has no energy: the file ends here, in pair {} of the "
                               "{} that {}",
                               position, read + 1, count, says()),
                   behind_position);
    }
    using Energy = std::numeric_limits<std::int32_t>;
    const std::int64_t energy = numbers.integer("energy", Energy::min(), Energy::max());
    impacts.push_back({position, static_cast<std::int32_t>(energy)});
  }
  if (numbers.next()) {
    numbers.fail(fmt::format("data {} after the last pair; {} {}", in_quotes(numbers.token()),
                             says(), pairs(count)));
  }
  return impacts;
}

namespace {

bool is_any_text(const InputFile&) {
  return true;
}

std::int64_t announced_in_text(const InputFile& file) {
  return announced_impacts(file.content(), file.name());
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
  return parse_storm(text, file.name());
}

void write_as_text(std::span<const Impact> impacts, OutputFile& file) {
  write_line(file, impacts.size());
  for (const Impact& impact : impacts) write_line(file, impact.position, impact.energy);
}

}  // namespace

extern constinit const StormFormat storm_text{
    "text", ".txt", is_any_text, announced_in_text, read_text, write_as_text};

}  // namespace bombard
