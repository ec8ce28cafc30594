#include "tools/cli/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "bombard/errors.hpp"
#include "inputs/token.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

namespace {

bool is_negative_number(std::string_view text) {
  return text.size() > 1 && text[0] == '-' &&
         std::isdigit(static_cast<unsigned char>(text[1])) != 0;
}

/// cxxopts puts typographic quotes around names; a terminal without UTF-8 shows them as rubbish.
std::string plain_quotes(std::string text) {
  for (const char* quote : {"\u2018", "\u2019"}) {
    for (std::size_t at; (at = text.find(quote)) != std::string::npos;) {
      text.erase(at, std::string_view(quote).size()).insert(at, 1, '"');
    }
  }
  return text;
}

/// A suggestion for a message about an unknown option.
std::string suggestion(const std::string& message, const cxxopts::Options& options) {
  const std::size_t begin = message.find('"');
  const std::size_t end = message.find('"', begin + 1);
  if (begin == std::string::npos || end == std::string::npos) return {};
  std::vector<std::string> known;
  for (const std::string& group : options.groups()) {
    for (const auto& option : options.group_help(group).options) {
      known.insert(known.end(), option.l.begin(), option.l.end());
    }
  }
  return did_you_mean(message.substr(begin + 1, end - begin - 1), known);
}

/// When an option has two values, cxxopts takes the last and drops the other one.
void refuse_two_values(const cxxopts::Options& options, const cxxopts::ParseResult& parsed,
                       const std::string& subcommand, const std::string& repeated) {
  for (const std::string& group : options.groups()) {
    for (const auto& option : options.group_help(group).options) {
      const std::string& name = option.l.front();
      if (option.is_boolean || name == repeated || parsed.count(name) < 2) continue;
      throw InputError(
          fmt::format("--{} is given {} times and takes one value; leave one out, see `bombard {} "
                      "--help`",
                      name, parsed.count(name), subcommand));
    }
  }
}

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

/// Letters that one of the words has and the other one lacks.
std::size_t difference(std::string_view a, std::string_view b) {
  std::string first(a), second(b), rest;
  std::ranges::sort(first);
  std::ranges::sort(second);
  std::ranges::set_symmetric_difference(first, second, std::back_inserter(rest));
  return rest.size();
}

}  // namespace

void add_options(cxxopts::Options& options, const std::string& group,
                 const std::vector<Option>& added) {
  for (const auto& [name, help, value, fallback] : added) {
    const std::shared_ptr<cxxopts::Value> kept =
        *value == '\0' ? cxxopts::value<bool>() : cxxopts::value<std::string>();
    if (fallback != nullptr) kept->default_value(fallback);
    options.add_options(group)(name, help, kept, value);
  }
}

cxxopts::ParseResult parse(cxxopts::Options& options, int argc, char** argv,
                           const std::string& subcommand, const std::string& repeated) {
  try {
    cxxopts::ParseResult parsed = options.parse(argc, argv);
    refuse_two_values(options, parsed, subcommand, repeated);
    return parsed;
  } catch (const cxxopts::exceptions::exception& error) {
    for (int i = 1; i < argc; ++i) {
      // No option is a digit, so this is a number meant as an argument.
      if (is_negative_number(argv[i]) &&
          dynamic_cast<const cxxopts::exceptions::no_such_option*>(&error) != nullptr) {
        throw InputError(fmt::format(
            "\"{}\" is a negative number, which is not allowed here; see `bombard {} --help`",
            argv[i], subcommand));
      }
    }
    const std::string message = plain_quotes(error.what());
    throw InputError(fmt::format("{}{}; see `bombard {} --help`", message,
                                 suggestion(message, options), subcommand));
  }
}

bool shows_help(const cxxopts::ParseResult& parsed, const cxxopts::Options& options,
                const std::vector<std::string>& groups, const char* examples) {
  if (parsed.count("help") == 0) return false;
  print(options.help(groups) + examples);
  return true;
}

std::optional<std::string> given(const cxxopts::ParseResult& parsed, const std::string& option) {
  if (parsed.count(option) == 0) return {};
  return parsed[option].as<std::string>();
}

void refuse_options(const cxxopts::ParseResult& parsed, const std::vector<std::string>& all,
                    const std::vector<std::string>& own, const std::string& what) {
  for (const std::string& option : all) {
    if (parsed.count(option) == 0 || std::ranges::count(own, option) > 0) continue;
    throw InputError(fmt::format("--{} has no meaning for {}; leave it out", option, what));
  }
}

std::optional<std::string> output_file(const cxxopts::ParseResult& parsed) {
  std::optional<std::string> file = given(parsed, "output");
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
  std::size_t nearest = std::min<std::size_t>(2, (word.size() + 1) / 3) + 1;
  std::string_view meant;
  for (const std::string& candidate : known) {
    if (const std::size_t away = difference(word, candidate); away < nearest) {
      nearest = away;
      meant = candidate;
    }
  }
  return meant.empty() ? "" : fmt::format("; did you mean \"{}\"?", meant);
}

}  // namespace bombard::tools
