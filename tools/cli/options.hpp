#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The command line as data: a table for each subcommand. Parsing (by cxxopts), help, the manual
/// page and completion (tools/manual/manual.hpp) come from it.
namespace bombard::tools {

/// A row of the table, as text only: `{"edition", "1|2", "The edition of the rule", "2"}`.
struct Option {
  std::string name;  ///< without its "--"; one_letter_names has the letters
  /// Its value as the help shows it; empty: the option is a switch. A value in small letters is a
  /// choice, `auto|cpu|cuda:N`; words after a `=`, as in `NAME=cub|inhouse`, are a choice that the
  /// help leaves out. FILE and DIR are paths, for which "-" is refused unless the value is FILE|-.
  std::string value;
  std::string help;
  std::string fallback = {};  ///< its value where it is not given; empty: none
  std::string topics = {};    ///< the names of the topics that take it; empty: all do

  bool is_path() const { return value.starts_with("FILE") || value.starts_with("DIR"); }
  bool has_topic(std::string_view topic) const;
  /// The choices for its value, without those that stand for others (cuda:N).
  std::vector<std::string> choices() const;
  /// Its value as the help shows it.
  std::string shown_value() const { return value.substr(0, value.find('=')); }
};

struct OptionGroup {
  std::string title;  ///< "Results"
  std::vector<Option> options;
};

class Arguments;
using Work = int(const Arguments&);  ///< does the work and returns the exit code

/// A subcommand; or a topic of one, a word after it that says what it is to do, like `jacobi` in
/// `bombard solve jacobi A B`, whose options are rows of the subcommand.
struct Subcommand {
  std::string name;
  std::string arguments = {};  ///< "CELLS STORM..."; each topic has its own
  std::string summary = {};    ///< a clause in the help
  Work* work = nullptr;        ///< none in a topic: the subcommand's
  std::string about = {};      ///< paragraphs in the help
  std::string examples = {};   ///< lines in the help
  std::vector<Subcommand> topics = {};
  std::string usual_topic = {};  ///< if none is named; empty: one has to be named
  std::vector<OptionGroup> groups = {};

  /// All rows.
  std::vector<const Option*> options() const;
};

/// The one letter that some options also have, the same in every subcommand: {"quiet", 'q'}.
extern const std::map<std::string, char, std::less<>> one_letter_names;

/// What a user has given to a subcommand, checked against its table.
class Arguments {
 public:
  /// `command` is the subcommand's name and what follows it. Throws InputError for an option that
  /// does not exist or has no meaning for the topic, for a value that is missing, given twice, or
  /// given to a switch, and for a topic or a number of words that the table does not have. With
  /// --help or --version only the options are checked.
  Arguments(const Subcommand& subcommand, std::vector<std::string> command);

  const Subcommand& subcommand() const { return subcommand_; }
  const std::vector<std::string>& command() const { return command_; }
  const std::string& topic() const { return topic_; }
  /// Does what is asked for.
  int work() const;
  /// The words that are neither options nor the topic.
  const std::vector<std::string>& words() const { return words_; }

  /// Whether the option was given.
  bool has(const std::string& option) const { return values_.contains(option); }
  /// Its value, if it was given.
  std::optional<std::string> given(const std::string& option) const;
  /// Its value or its fallback. Throws InputError where there is neither: "--cells is missing".
  std::string text(const std::string& option) const;
  /// The same, one of the choices of the table. Throws InputError for any other word.
  std::string word(const std::string& option) const;
  /// The same, a whole number from `least` to `most`.
  std::int64_t number(const std::string& option, std::int64_t least,
                      std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  /// The same, a finite number from 0 up, or above 0.
  double real(const std::string& option, bool above_zero = false) const;
  /// The file that --output names; nothing if standard output is meant: without the option, and for
  /// "-".
  std::optional<std::string> output() const;
  /// "see `bombard run --help`".
  std::string see_help() const;

 private:
  const Option& row(std::string_view name) const;
  const Subcommand* topic_row() const;
  void parse(std::span<const std::string> given);
  void add_value(const Option& option, const std::string& value);
  void take_topic();
  void check_words() const;
  void check_topic() const;

  const Subcommand& subcommand_;
  std::vector<std::string> command_, words_;
  std::string topic_;
  std::map<std::string, std::string> values_;
};

/// A decimal whole number from `least` to `most`, with nothing around it; 1e6 is one, too.
/// `what` names it in the message: "CELLS", "--threads".
std::int64_t whole_number(const std::string& text, const std::string& what, std::int64_t least,
                          std::int64_t most = std::numeric_limits<std::int64_t>::max());
/// The same for a list, as in 256,512.
std::vector<std::int64_t> whole_numbers(const std::string& text, const std::string& what,
                                        std::int64_t least, std::int64_t most);

/// The parts of a text that each end with this mark, or with the text: add a mark to the text, and
/// a part behind the last one counts, even if it is empty.
std::vector<std::string> parts_of(const std::string& text, char mark);

}  // namespace bombard::tools
