#include "tools/cli/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cxxopts.hpp>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/token.hpp"

namespace bombard::tools {

namespace {

/// The digits of a whole number that is written like 1e6 or 2.5e3; any other text as it is.
std::string without_exponent(const std::string& text) {
  constexpr std::int64_t most_zeros = 20;  // no 64 bits hold a number that ends with so many
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string::npos) return text;
  std::string digits = text.substr(0, e);
  const std::string_view power = std::string_view(text).substr(e + 1);
  const auto exponent = number_of<std::int32_t>(power.substr(power.starts_with('+') ? 1 : 0));
  const bool is_number = digits.find_first_not_of("-.0123456789") == std::string::npos;
  if (!exponent || !is_number || !number_of<double>(digits)) return text;
  std::int64_t zeros = *exponent;
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    digits.erase(point, 1);
    zeros -= static_cast<std::int64_t>(digits.size() - point);
  }
  for (; zeros < 0 && digits.ends_with('0'); ++zeros) digits.pop_back();
  if (zeros < 0) return text;
  return digits + std::string(static_cast<std::size_t>(std::min(zeros, most_zeros)), '0');
}

/// The table for cxxopts. What it does not know gets our own messages.
cxxopts::Options grammar_of(const Subcommand& subcommand) {
  cxxopts::Options grammar(subcommand.name);
  grammar.allow_unrecognised_options();
  std::set<std::string_view> added;  // topics may have rows of one name
  for (const Option* const option : subcommand.options()) {
    if (!added.insert(option->name).second) continue;
    const auto letter = one_letter_names.find(option->name);
    grammar.add_options()(
        letter == one_letter_names.end() ? option->name
                                         : fmt::format("{},{}", letter->second, option->name),
        option->help,
        option->value.empty() ? cxxopts::value<bool>()
                              : std::shared_ptr<cxxopts::Value>(cxxopts::value<std::string>()));
  }
  return grammar;
}

/// "table, json or csv".
std::string either(std::span<const std::string> words) {
  if (words.size() < 2) return fmt::to_string(fmt::join(words, ""));
  return fmt::format("{} or {}", fmt::join(words.first(words.size() - 1), ", "), words.back());
}

const char* article(std::string_view word) {
  return std::string_view("aeiou").find(word.front()) == std::string_view::npos ? "a" : "an";
}

}  // namespace

const std::map<std::string, char, std::less<>> one_letter_names{
    {"help", 'h'}, {"version", 'V'}, {"quiet", 'q'}, {"verbose", 'v'}, {"output", 'o'}};

bool Option::has_topic(std::string_view topic) const {
  return topics.empty() || topic.empty() || std::ranges::count(parts_of(topics, ' '), topic) > 0;
}

std::vector<std::string> Option::choices() const {
  std::vector<std::string> words = parts_of(value.substr(value.find('=') + 1), '|');
  std::erase_if(words, [](const std::string& word) {
    return word == "-" ||
           std::ranges::any_of(word, [](unsigned char c) { return std::isupper(c) != 0; });
  });
  return words;
}

std::vector<const Option*> Subcommand::options() const {
  std::vector<const Option*> rows;
  for (const OptionGroup& group : groups) {
    for (const Option& option : group.options) rows.push_back(&option);
  }
  return rows;
}

Arguments::Arguments(const Subcommand& subcommand, std::vector<std::string> command)
    : subcommand_(subcommand), command_(std::move(command)) {
  const auto rest = std::ranges::find(command_, "--");  // words follow, whatever they begin with
  parse({command_.begin() + 1, rest});
  if (rest != command_.end()) words_.insert(words_.end(), rest + 1, command_.end());
  if (has("help") || has("version")) {  // for a topic, if there is one
    if (!words_.empty() && !subcommand_.topics.empty()) take_topic();
    return;
  }
  take_topic();
  check_topic();
  check_words();
}

/// By cxxopts: the options' values, and the words.
void Arguments::parse(std::span<const std::string> given) {
  std::vector<const char*> all{subcommand_.name.c_str()};
  for (const std::string& text : given) all.push_back(text.c_str());
  try {
    cxxopts::Options grammar = grammar_of(subcommand_);
    const cxxopts::ParseResult parsed = grammar.parse(static_cast<int>(all.size()), all.data());
    for (const cxxopts::KeyValue& pair : parsed.arguments()) {
      add_value(row(pair.key()), pair.value());
    }
    words_ = parsed.unmatched();
  } catch (const cxxopts::exceptions::exception& error) {
    throw InputError(fmt::format("{}; {}", error.what(), see_help()));
  }
  for (const std::string& text : words_) {
    if (text.starts_with("--")) row(text.substr(2, text.find('=') - 2));  // throws: there is none
    if (text.size() > 1 && text[0] == '-') {
      throw InputError(fmt::format("there is no option {}; {}", text, see_help()));
    }
  }
}

std::string Arguments::see_help() const {
  const bool named = !topic_.empty() && topic_ != subcommand_.usual_topic;
  return fmt::format("see `bombard {}{}{} --help`", subcommand_.name, named ? " " : "",
                     named ? topic_ : "");
}

/// The row for the topic; before the topic is known, any row.
const Option& Arguments::row(std::string_view name) const {
  const Option* found = nullptr;
  for (const Option* const option : subcommand_.options()) {
    if (option->name == name && (found == nullptr || option->has_topic(topic_))) found = option;
  }
  if (found != nullptr) return *found;
  throw InputError(fmt::format("there is no option --{}; {}", name, see_help()));
}

/// Refuses what cxxopts would accept: a switch with a value, an option that takes another one for
/// its value.
void Arguments::add_value(const Option& option, const std::string& value) {
  const bool is_switch = option.value.empty();
  if (is_switch && value != "true") {
    throw InputError(
        fmt::format("--{} is a switch, and \"{}\" gives it a value; leave the value out, or the "
                    "option",
                    option.name, value));
  }
  const bool is_option =
      value.size() > 1 && value[0] == '-' &&
      (value[1] == '-' || std::isalpha(static_cast<unsigned char>(value[1])) != 0);
  if (!is_switch && is_option) {
    throw InputError(fmt::format("--{} lacks its value ({}); {}", option.name, option.shown_value(),
                                 see_help()));
  }
  if (value == "-" && option.is_path() && !option.value.ends_with("|-")) {
    throw InputError(
        fmt::format("--{} takes the name of a file or a folder, and - would mean standard input or "
                    "output; ./- is a name",
                    option.name));
  }
  if (!values_.emplace(option.name, value).second && !is_switch) {
    throw InputError(
        fmt::format("--{} is given several times and takes one value; leave one out, {}",
                    option.name, see_help()));
  }
}

void Arguments::take_topic() {
  if (subcommand_.topics.empty()) return;
  topic_ = subcommand_.usual_topic;
  std::vector<std::string> names;
  for (const Subcommand& topic : subcommand_.topics) names.push_back(topic.name);
  if (words_.empty() && topic_.empty()) {
    throw InputError(
        fmt::format("bombard {}: {} must follow; {}", subcommand_.name, either(names), see_help()));
  }
  if (words_.empty()) return;
  if (std::ranges::count(names, words_.front()) == 0) {
    throw InputError(fmt::format("bombard {}: there is no \"{}\"; there are {}; {}",
                                 subcommand_.name, words_.front(), fmt::join(names, ", "),
                                 see_help()));
  }
  topic_ = words_.front();
  words_.erase(words_.begin());
}

/// Refuses options that the topic does not take.
void Arguments::check_topic() const {
  for (const auto& [name, value] : values_) {
    if (row(name).has_topic(topic_)) continue;
    throw InputError(fmt::format("--{} has no meaning for {}; leave it out", name, topic_));
  }
}

const Subcommand* Arguments::topic_row() const {
  const auto row = std::ranges::find(subcommand_.topics, topic_, &Subcommand::name);
  return row == subcommand_.topics.end() ? nullptr : &*row;
}

int Arguments::work() const {
  const Subcommand* const topic = topic_row();
  return (topic != nullptr && topic->work != nullptr ? topic->work : subcommand_.work)(*this);
}

/// Refuses a number of words other than the table's, where it gives one.
void Arguments::check_words() const {
  const Subcommand* const topic = topic_row();
  const std::string& arguments = topic == nullptr ? subcommand_.arguments : topic->arguments;
  const std::string usage = subcommand_.name + (topic == nullptr ? "" : ' ' + topic_);
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

std::string Arguments::text(const std::string& option) const {
  if (const auto value = given(option)) return *value;
  const std::string& fallback = row(option).fallback;
  if (!fallback.empty()) return fallback;
  throw InputError(fmt::format("--{} is missing; {}", option, see_help()));
}

std::string Arguments::word(const std::string& option) const {
  const std::vector<std::string> choices = row(option).choices();
  std::string word = text(option);
  if (std::ranges::count(choices, word) > 0) return word;
  throw InputError(fmt::format("--{} \"{}\" is not {} {}; it is {}", option, word, article(option),
                               option, either(choices)));
}

std::int64_t Arguments::number(const std::string& option, std::int64_t least,
                               std::int64_t most) const {
  return whole_number(text(option), "--" + option, least, most);
}

double Arguments::real(const std::string& option, bool above_zero) const {
  const std::string given = text(option);
  const std::optional<double> number = number_of<double>(given);
  if (number && std::isfinite(*number) && (above_zero ? *number > 0 : *number >= 0)) return *number;
  throw InputError(fmt::format("--{} \"{}\" is not a number {}", option, given,
                               above_zero ? "above 0" : "from 0 up"));
}

std::optional<std::string> Arguments::output() const {
  std::optional<std::string> file = given("output");
  return file == "-" ? std::nullopt : file;
}

std::int64_t whole_number(const std::string& text, const std::string& what, std::int64_t least,
                          std::int64_t most) {
  std::int64_t number = 0;
  const std::string digits = without_exponent(text);
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number);
  if (rest != end || digits.empty() || error == std::errc::invalid_argument) {
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

std::vector<std::int64_t> whole_numbers(const std::string& text, const std::string& what,
                                        std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> numbers;
  for (const std::string& number : parts_of(text + ',', ',')) {
    numbers.push_back(whole_number(number, what, least, most));
  }
  return numbers;
}

std::vector<std::string> parts_of(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream all(text);
  for (std::string part; std::getline(all, part, mark);) parts.push_back(part);
  return parts;
}

}  // namespace bombard::tools
