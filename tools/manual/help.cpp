#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "tools/cli/terminal.hpp"
#include "tools/manual/manual.hpp"

namespace bombard::tools {

namespace {

constexpr std::string_view about_arguments =
    "CELLS is the number of cells of the layer. STORM is a file (- is standard input): the number "
    "of its impacts, then a position and an energy for each of them.";

constexpr std::string_view examples_of_all =
    "  bombard generate --cells 1000000 --impacts 5000 --directory storms\n"
    "  bombard run 1000000 storms/*.txt --plot\n"
    "  bombard run 1000000 storms/*.txt --device cuda --output result.json\n";

constexpr std::pair<std::string_view, std::string_view> exit_codes[] = {
    {"0", "done"},
    {"1", "results differ, an iteration does not converge, or a program is wrong"},
    {"2", "bad usage or input, or a file that cannot be written"},
    {"3", "cannot run here: no such device, not enough memory or threads"},
    {"128 + N", "signal N ended the program; the storms that `run` had done are written"}};

constexpr std::size_t width = 80;
constexpr std::size_t column_of_help = 26, column_of_summaries = 34;

/// The words of a text in lines; all lines but the first are indented by `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string lines;
  std::size_t used = indent;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (used > indent && used + 1 + word.size() > width) {
      lines += '\n' + std::string(indent, ' ');
      used = indent;
    } else if (used > indent) {
      lines += ' ';
      ++used;
    }
    lines += word;
    used += word.size();
  }
  return lines + '\n';
}

/// Two columns: "  bombard run CELLS STORM...   simulate storms".
std::string row(std::string_view left, std::string_view right,
                std::size_t second_column = column_of_help) {
  std::string text = fmt::format("  {}", left);
  if (text.size() + 2 > second_column) {
    text += '\n' + std::string(second_column, ' ');
  } else {
    text.resize(second_column, ' ');
  }
  return text + wrapped(right, second_column);
}

std::string paragraphs(const std::string& text) {
  std::string lines;
  std::istringstream source(text);
  for (std::string paragraph; std::getline(source, paragraph);) lines += wrapped(paragraph, 0);
  return lines;
}

/// Lines of examples, each behind a prompt, by which help2man knows them.
std::string prompted(const std::string& examples) {
  std::string lines;
  std::istringstream source(examples);
  for (std::string line; std::getline(source, line);) lines += "  $" + line.substr(1) + '\n';
  return lines;
}

std::string heading(std::string_view text) {
  return '\n' + styled(text, bold, stdout) + '\n';
}

/// "bombard solve jacobi A B"; without a topic "bombard solve PROBLEM FILE...".
std::string usage(const Subcommand& subcommand, const Subcommand* topic) {
  const std::string& arguments = topic == nullptr ? subcommand.arguments : topic->arguments;
  return fmt::format("bombard {}{}{}{}{}", subcommand.name, topic == nullptr ? "" : " ",
                     topic == nullptr ? "" : topic->name, arguments.empty() ? "" : " ", arguments);
}

/// "-o, --output FILE", "--edition 1|2".
std::string signature(const Option& option) {
  const auto letter = one_letter_names.find(option.name);
  const std::string letters =
      letter == one_letter_names.end() ? "" : fmt::format("-{}, ", letter->second);
  const std::string value = option.shown_value();
  return fmt::format("{}--{}{}{}", letters, option.name, value.empty() ? "" : " ", value);
}

/// "Give up after N iterations [10000]", and, if asked for, its topics: " (jacobi)".
std::string description(const Option& option, bool with_topics) {
  return fmt::format("{}{}{}", option.help,
                     option.fallback.empty() ? "" : fmt::format(" [{}]", option.fallback),
                     !with_topics || option.topics.empty()
                         ? ""
                         : fmt::format(" ({})", fmt::join(parts_of(option.topics, ' '), ", ")));
}

}  // namespace

std::string help(std::span<const Subcommand> subcommands) {
  std::string text =
      "bombard: particle bombardment of a layer, on GPUs and CPUs\n" + heading("Usage:");
  for (const Subcommand& subcommand : subcommands) {
    text += row(usage(subcommand, nullptr), subcommand.summary, column_of_summaries);
  }
  text += row("bombard help SUBCOMMAND", "its options, with examples", column_of_summaries);
  text += row("bombard --version", "version, compilers, what is compiled in", column_of_summaries);
  text += '\n' + paragraphs(std::string(about_arguments)) + heading("Examples:") +
          prompted(std::string(examples_of_all)) + heading("Exit codes:");
  for (const auto& [code, meaning] : exit_codes) text += row(code, meaning);
  return text;
}

std::string help(const Subcommand& subcommand, const std::string& topic_name) {
  std::string text = paragraphs(subcommand.about) + heading("Usage:");
  if (subcommand.topics.empty()) text += "  " + usage(subcommand, nullptr) + " [OPTION...]\n";
  for (const Subcommand& topic : subcommand.topics) {
    if (!topic_name.empty() && topic.name != topic_name) continue;
    text += row(usage(subcommand, &topic), topic.summary);
  }
  for (const OptionGroup& group : subcommand.groups) {
    std::string rows;
    for (const Option& option : group.options) {
      if (!option.has_topic(topic_name)) continue;
      rows += row(signature(option), description(option, topic_name.empty()));
    }
    if (!rows.empty()) text += heading(group.title + " options:") + rows;
  }
  return text + heading("Examples:") + prompted(subcommand.examples);
}

}  // namespace bombard::tools
