#include "tools/cli/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/token.hpp"

namespace bombard::tools {

namespace {

/// Whole numbers as they are also written: 1e6, 2.5e3. Up to 15 digits a double has them exactly.
std::optional<std::int64_t> number_with_exponent(const std::string& text) {
  const std::optional<double> number = number_of<double>(text);
  const auto digits =
      std::ranges::count_if(text, [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!number || text.find_first_of("eE") == std::string::npos || digits > 15 ||
      std::trunc(*number) != *number || std::abs(*number) >= 0x1p63) {
    return {};
  }
  return static_cast<std::int64_t>(*number);
}

/// The least number of letters to change, leave out, put in or exchange with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> of(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        of[i][j] = i + j;
        continue;
      }
      of[i][j] = std::min(
          {of[i - 1][j] + 1, of[i][j - 1] + 1, of[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        of[i][j] = std::min(of[i][j], of[i - 2][j - 2] + 1);
      }
    }
  }
  return of[a.size()][b.size()];
}

template <class Rows>
std::vector<std::string> names_of(const Rows& rows, std::string_view before = {}) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(std::string(before) + row.name);
  return names;
}

const char* article(std::string_view word) {
  return std::string_view("aeiou").find(word.front()) == std::string_view::npos ? "a" : "an";
}

}  // namespace

const std::map<std::string, char, std::less<>> one_letter_names{
    {"help", 'h'}, {"version", 'V'}, {"quiet", 'q'}, {"verbose", 'v'}, {"output", 'o'}};

bool Option::has_topic(std::string_view topic) const {
  return topics.empty() || topic.empty() || std::ranges::count(topics, topic) > 0;
}

std::vector<const Option*> Subcommand::options(std::string_view topic) const {
  std::vector<const Option*> rows;
  for (const OptionGroup& group : groups) {
    for (const Option& option : group.options) {
      if (option.has_topic(topic)) rows.push_back(&option);
    }
  }
  return rows;
}

Arguments::Arguments(const Subcommand& subcommand, std::vector<std::string> command)
    : subcommand_(subcommand), command_(std::move(command)) {
  for (std::size_t at = 1; at < command_.size();) {
    const std::string& text = command_[at];
    if (text == "--") {
      words_.insert(words_.end(), command_.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                    command_.end());
      break;
    }
    if (text.starts_with("--")) {
      at = read_name(at);
    } else if (text.size() > 1 && text[0] == '-') {
      at = read_letters(at);
    } else {
      words_.push_back(text);
      ++at;
    }
  }
  if (has("help") || has("version")) {  // of a topic, if it is there
    if (!words_.empty() && !subcommand_.topics.empty()) take_topic();
    return;
  }
  take_topic();
  check_topic();
  check_words();
}

std::string Arguments::see_help() const {
  const bool named = !topic_.empty() && topic_ != subcommand_.usual_topic;
  return fmt::format("see `bombard {}{}{} --help`", subcommand_.name, named ? " " : "",
                     named ? topic_ : "");
}

bool Arguments::is_option(const std::string& text) const {
  return text.starts_with("--") &&
         std::ranges::any_of(subcommand_.options(), [&](const Option* option) {
           return text.substr(2, text.find('=') - 2) == option->name;
         });
}

/// The row that the topic takes; before the topic is known, any.
const Option& Arguments::row(std::string_view name) const {
  const Option* found = nullptr;
  std::vector<std::string> known;
  for (const Option* const option : subcommand_.options()) {
    known.push_back("--" + option->name);
    if (option->name == name && (found == nullptr || option->has_topic(topic_))) found = option;
  }
  if (found != nullptr) return *found;
  const std::string given = fmt::format("--{}", name);
  throw InputError(
      fmt::format("there is no option {}{}; {}", given, did_you_mean(given, known), see_help()));
}

/// Reads "--output FILE", "--output=FILE" or "--quiet"; returns the place behind it.
std::size_t Arguments::read_name(std::size_t at) {
  const std::string& text = command_[at];
  const std::size_t equals = std::min(text.find('='), text.size());
  const Option& option = row(std::string_view(text).substr(2, equals - 2));
  if (!option.takes_value()) {
    if (equals < text.size()) {
      throw InputError(fmt::format(
          "--{} is a switch, and \"{}\" gives it a value; leave the value out, or the option",
          option.name, text));
    }
    values_.emplace(option.name, "");
    return at + 1;
  }
  if (equals < text.size()) {
    add_value(option, text.substr(equals + 1));
    return at + 1;
  }
  if (at + 1 == command_.size() || is_option(command_[at + 1])) {
    throw InputError(fmt::format("--{} lacks its value ({}); {}", option.name,
                                 option.value.empty() ? either(option.choices) : option.value,
                                 see_help()));
  }
  add_value(option, command_[at + 1]);
  return at + 2;
}

/// Reads "-v", "-qv", "-o FILE" or "-oFILE".
std::size_t Arguments::read_letters(std::size_t at) {
  const std::string text = command_[at];
  if (std::isdigit(static_cast<unsigned char>(text[1])) != 0) {
    throw InputError(fmt::format("\"{}\" is a negative number, which is not allowed here; {}", text,
                                 see_help()));
  }
  for (std::size_t i = 1; i < text.size(); ++i) {
    const auto letter = std::ranges::find_if(
        one_letter_names, [&](const auto& name) { return name.second == text[i]; });
    if (letter == one_letter_names.end()) {
      throw InputError(fmt::format("there is no option -{}; {}", text[i], see_help()));
    }
    const Option& option = row(letter->first);
    if (!option.takes_value()) {
      values_.emplace(option.name, "");
    } else if (i + 1 < text.size()) {
      add_value(option, text.substr(i + (text[i + 1] == '=' ? 2 : 1)));
      break;
    } else {
      command_[at] = "--" + option.name;  // as it is written out
      return read_name(at);
    }
  }
  return at + 1;
}

void Arguments::add_value(const Option& option, const std::string& value) {
  if (has(option.name) && !option.value.ends_with("...")) {
    throw InputError(
        fmt::format("--{} is given several times and takes one value; leave one out, {}",
                    option.name, see_help()));
  }
  if (value == "-" && option.is_path() && !option.value.ends_with("|-")) {
    throw InputError(
        fmt::format("--{} takes the name of a file or a folder, and - would mean {}; ./- is a name",
                    option.name, "standard input or output"));
  }
  values_.emplace(option.name, value);
}

void Arguments::take_topic() {
  if (subcommand_.topics.empty()) return;
  topic_ = subcommand_.usual_topic;
  const std::vector<std::string> names = names_of(subcommand_.topics);
  if (words_.empty() && topic_.empty()) {
    throw InputError(
        fmt::format("bombard {}: {} must follow; {}", subcommand_.name, either(names), see_help()));
  }
  if (words_.empty()) return;
  if (std::ranges::count(names, words_.front()) == 0) {
    throw InputError(fmt::format("bombard {}: there is no \"{}\"; there are {}{}; {}",
                                 subcommand_.name, words_.front(), fmt::join(names, ", "),
                                 did_you_mean(words_.front(), names), see_help()));
  }
  topic_ = words_.front();
  words_.erase(words_.begin());
}

/// No option that the topic does not take.
void Arguments::check_topic() const {
  for (const auto& [name, value] : values_) {
    if (row(name).has_topic(topic_)) continue;
    throw InputError(fmt::format("--{} has no meaning for {}; leave it out", name, topic_));
  }
}

/// No other number of words than the table says, where it says one.
void Arguments::check_words() const {
  std::string usage = subcommand_.name, arguments = subcommand_.arguments;
  if (!subcommand_.topics.empty()) {
    arguments = std::ranges::find(subcommand_.topics, topic_, &Topic::name)->arguments;
    usage += ' ' + topic_;
  }
  if (arguments.find("...") != std::string::npos) return;
  const std::size_t wanted =
      arguments.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(arguments, ' ')) + 1;
  if (words_.size() == wanted) return;
  if (wanted == 0) {
    throw InputError(fmt::format("\"{}\" cannot stand here: `bombard {}` takes options alone; {}",
                                 words_.front(), usage, see_help()));
  }
  throw InputError(fmt::format("{} takes {} file{}, not {}: bombard {} {}", usage, wanted,
                               wanted == 1 ? "" : "s", words_.size(), usage, arguments));
}

std::optional<std::string> Arguments::given(const std::string& option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Arguments::all(const std::string& option) const {
  std::vector<std::string> values;
  const auto [begin, end] = values_.equal_range(option);
  for (auto it = begin; it != end; ++it) values.push_back(it->second);
  return values;
}

std::string Arguments::text(const std::string& option) const {
  if (const auto value = given(option)) return *value;
  const std::string& fallback = row(option).fallback;
  if (!fallback.empty()) return fallback;
  throw InputError(fmt::format("--{} is missing; {}", option, see_help()));
}

std::string Arguments::word(const std::string& option) const {
  const std::vector<std::string>& choices = row(option).choices;
  std::string word = text(option);
  if (std::ranges::count(choices, word) > 0) return word;
  throw InputError(fmt::format("--{} \"{}\" is not {} {}; it is {}{}", option, word,
                               article(option), option, either(choices),
                               did_you_mean(word, choices)));
}

std::int64_t Arguments::number(const std::string& option, std::int64_t least,
                               std::int64_t most) const {
  return whole_number(text(option), "--" + option, least, most);
}

std::optional<std::string> Arguments::output() const {
  std::optional<std::string> file = given("output");
  return file == "-" ? std::nullopt : file;
}

std::int64_t whole_number(const std::string& text, const std::string& what, std::int64_t least,
                          std::int64_t most) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  if (const auto found = number_with_exponent(text)) {
    return whole_number(std::to_string(*found), what, least, most);
  }
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (rest != end || text.empty() || error == std::errc::invalid_argument) {
    throw InputError(fmt::format("{} \"{}\" is not a whole number", what, text));
  }
  const bool overflow = error == std::errc::result_out_of_range;
  if (overflow || number < least || number > most) {
    const bool bounded = overflow || most != std::numeric_limits<std::int64_t>::max();
    throw InputError(fmt::format(
        "{} {} is out of range; it is a whole number {}", what, text,
        bounded ? fmt::format("from {} to {}", least, most) : fmt::format("from {} up", least)));
  }
  return number;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t much_to_begin_with = 2;  // letters
  const std::size_t letters = word.size() - std::min(word.find_first_not_of('-'), word.size());
  std::size_t nearest = std::min<std::size_t>(2, (letters + 1) / 3) + 1;
  std::string_view meant;
  for (const std::string& candidate : known) {
    const bool begins = letters >= much_to_begin_with && candidate.starts_with(word);
    const std::size_t away = begins ? 1 : distance(word, candidate);
    if (away < nearest) {
      nearest = away;
      meant = candidate;
    }
  }
  return meant.empty() ? "" : fmt::format("; did you mean \"{}\"?", meant);
}

std::string either(std::span<const std::string> words) {
  if (words.size() < 2) return fmt::to_string(fmt::join(words, ""));
  return fmt::format("{} or {}", fmt::join(words.first(words.size() - 1), ", "), words.back());
}

}  // namespace bombard::tools
