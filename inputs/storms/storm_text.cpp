#include "inputs/storms/storm_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/line_writer.hpp"
#include "inputs/separators.hpp"
#include "inputs/token.hpp"
#include "kernels/base/host_memory.hpp"

namespace bombard {

namespace {

std::string pairs(std::int64_t number) {
  return fmt::format("{} pair{}", number, number == 1 ? "" : "s");
}

/// Takes a storm's text in pieces that end between numbers.
class StormParser {
 public:
  /// `size` is the length of the whole text in bytes, 0 when unknown.
  StormParser(const std::string& name, std::int64_t size) : size_(size) { storm_.name = name; }

  void parse(std::string_view text);

  /// The same for a piece that may end within a number, which is left; returns the bytes parsed.
  /// A piece that is all one number is not a storm's.
  std::size_t parse_whole_numbers(std::string_view piece);

  Storm finish();

 private:
  enum class Next { count, position, energy, nothing };

  void begin_storm(std::int64_t count, std::string_view token);
  std::int64_t number(const char*& at, const char* end, const char* what, std::int64_t lowest,
                      std::int64_t highest);
  [[noreturn]] void fail(std::int64_t line, const std::string& problem) const {
    throw InputError(fmt::format("{}:{}: {}", storm_.name, line, problem));
  }

  Storm storm_;
  std::int64_t size_;
  Next next_ = Next::count;
  std::int64_t count_ = 0;
  std::int64_t position_ = 0;
  Separators separators_;
  std::int64_t count_line_ = 1;  ///< where the count stands
  std::int64_t token_line_ = 1;  ///< where the last number stands
  bool at_start_ = true;
};

void StormParser::parse(std::string_view text) {
  if (at_start_) text = without_byte_order_mark(text);
  at_start_ = false;

  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    separators_.skip(at, end);
    if (at == end) return;
    token_line_ = separators_.line();
    switch (next_) {
      case Next::position:
        position_ = number(at, end, "position", -largest_position, largest_position);
        next_ = Next::energy;
        break;
      case Next::energy: {
        using Energy = std::numeric_limits<std::int32_t>;
        const std::int64_t energy = number(at, end, "energy", Energy::min(), Energy::max());
        storm_.impacts.push_back({position_, static_cast<std::int32_t>(energy)});
        const bool last = static_cast<std::int64_t>(storm_.impacts.size()) == count_;
        next_ = last ? Next::nothing : Next::position;
        break;
      }
      case Next::count: {
        const char* const begin = at;
        const std::int64_t count =
            number(at, end, "count", std::numeric_limits<std::int64_t>::min(),
                   std::numeric_limits<std::int64_t>::max());
        begin_storm(count, {begin, at});
        break;
      }
      case Next::nothing:
        fail(token_line_, fmt::format("data {} after the last pair; the count on line {} says {}",
                                      quoted(number_token(at, end)), count_line_, pairs(count_)));
    }
  }
}

void StormParser::begin_storm(std::int64_t count, std::string_view token) {
  if (count < 0) {
    fail(token_line_,
         fmt::format("count {} is negative; a storm begins with the number of its impacts",
                     quoted(token)));
  }
  // A count that the text cannot hold reserves nothing for its lie; it is found out at the end of
  // the text.
  const std::int64_t credible =
      size_ > 0 ? std::min(count, most_pairs(static_cast<std::size_t>(size_))) : count;
  require_host_memory(
      byte_count({credible, sizeof(Impact)}),
      fmt::format("{}:{}: a storm of {} impacts", storm_.name, token_line_, credible));
  storm_.impacts.reserve(static_cast<std::size_t>(credible));
  count_ = count;
  count_line_ = token_line_;
  next_ = count == 0 ? Next::nothing : Next::position;
}

/// Takes the integer at `at`, which moves behind it.
inline std::int64_t StormParser::number(const char*& at, const char* end, const char* what,
                                        std::int64_t lowest, std::int64_t highest) {
  return take_integer(
      at, end, what, lowest, highest,
      [&](const std::string& problem) -> std::int64_t { fail(token_line_, problem); });
}

Storm StormParser::finish() {
  const std::int64_t read = static_cast<std::int64_t>(storm_.impacts.size());
  switch (next_) {
    case Next::count:
      fail(separators_.line(),
           "no count: the file is empty; a storm begins with the number of its impacts");
    case Next::energy:
      fail(token_line_,
           fmt::format(
               "position {} has no energy: the file ends here, in pair {} of the {} that the "
               "count on line {} says",
               position_, read + 1, count_, count_line_));
    case Next::position:
      fail(token_line_, fmt::format("the count on line {} says {} but the file holds {}",
                                    count_line_, pairs(count_), read));
    case Next::nothing:
      break;
  }
  return std::move(storm_);
}

std::size_t StormParser::parse_whole_numbers(std::string_view piece) {
  std::size_t end = piece.size();
  while (end > 0 && !ends_number(piece[end - 1])) --end;
  if (end == 0 && separators_.in_comment()) end = piece.size();
  if (end == 0) {
    fail(separators_.line(),
         fmt::format("{} goes on for {} characters without white space: this is not a storm",
                     quoted(piece), piece.size()));
  }
  parse(piece.substr(0, end));
  return end;
}

}  // namespace

std::int64_t most_pairs(std::size_t bytes) {
  constexpr std::size_t bytes_of_pair = 4;  // two digits with the white space behind them
  return static_cast<std::int64_t>(bytes / bytes_of_pair + 1);
}

Storm read_storm_text(InputFile& file, std::string_view begun, std::size_t piece_size) {
  StormParser parser(file.name(), file.size());
  std::vector<char> buffer(piece_size);
  std::ranges::copy(begun, buffer.begin());
  std::size_t kept = begun.size();  // then the beginning of a token that the last piece cut
  for (;;) {
    const std::size_t size = kept + file.read(std::span(buffer).subspan(kept));
    if (size < buffer.size()) {
      parser.parse({buffer.data(), size});
      return parser.finish();
    }
    const std::size_t parsed = parser.parse_whole_numbers({buffer.data(), size});
    kept = size - parsed;
    std::memmove(buffer.data(), buffer.data() + parsed, kept);
  }
}

Storm parse_storm(std::string_view text, const std::string& name, std::size_t piece_size) {
  StormParser parser(name, static_cast<std::int64_t>(text.size()));
  while (text.size() >= piece_size) {
    text.remove_prefix(parser.parse_whole_numbers(text.substr(0, piece_size)));
  }
  parser.parse(text);
  return parser.finish();
}

void write_storm(const Storm& storm, const std::string& path) {
  OutputFile file(path);
  LineWriter writer(file);
  writer.line(storm.impacts.size());
  for (const Impact& impact : storm.impacts) writer.line(impact.position, impact.energy);
  file.commit();
}

}  // namespace bombard
