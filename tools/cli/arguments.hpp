#pragma once

#include <cstdint>
#include <cxxopts.hpp>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bombard::tools {

/// An option of a subcommand. Its value stays a text; `value` names it in the help, and an option
/// without one is a switch.
struct Option {
  std::string name, help;
  const char* value = "";
  const char* fallback = nullptr;  ///< its value where it is not given
};

/// Options in the order of the help, as a group of it.
void add_options(cxxopts::Options& options, const std::string& group,
                 const std::vector<Option>& added);

/// Parses what follows a subcommand's name (argv[0]). Arguments that are no options are the
/// result's unmatched(). Throws InputError for an unknown option, a missing value, two values (but
/// of the option `repeated`) and a negative number where no option takes it.
cxxopts::ParseResult parse(cxxopts::Options& options, int argc, char** argv,
                           const std::string& subcommand, const std::string& repeated = {});

/// Prints the help, with examples behind it, where --help asks for it.
bool shows_help(const cxxopts::ParseResult& parsed, const cxxopts::Options& options,
                const std::vector<std::string>& groups = {}, const char* examples = "");

/// The text of an option; nothing where it is not given.
std::optional<std::string> given(const cxxopts::ParseResult& parsed, const std::string& option);

/// Throws InputError where an option is given that `all` takes for others, but not for `what`,
/// which takes `own`: "--descending has no meaning for sum; leave it out".
void refuse_options(const cxxopts::ParseResult& parsed, const std::vector<std::string>& all,
                    const std::vector<std::string>& own, const std::string& what);

/// The file that --output names; nothing where standard output is meant: without the option, and
/// for "-".
std::optional<std::string> output_file(const cxxopts::ParseResult& parsed);

/// A decimal whole number from `least` to `most`, with nothing around it; 1e6 is one, too.
/// `what` names it in the message: "CELLS", "--threads".
std::int64_t whole_number(const std::string& text, const std::string& what, std::int64_t least,
                          std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// `; did you mean "generate"?` for a word whose letters are those of one of these but for two at
/// most, empty for any other.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace bombard::tools
