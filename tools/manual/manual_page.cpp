#include <fmt/format.h>

#include <sstream>

#include "tools/cli/build_info.hpp"
#include "tools/manual/manual.hpp"

namespace bombard::tools {

namespace {

/// Text that groff shows unchanged: no escapes, no typographic hyphens, no line that is a request.
std::string for_groff(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const bool begins = shown.empty() || shown.back() == '\n';
    if (begins && (c == '.' || c == '\'')) shown += "\\&";
    shown += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return shown;
}

/// A paragraph with a tag before it.
std::string tagged(std::string_view tag, std::string_view text) {
  return fmt::format(".TP\n.B {}\n{}\n", for_groff(tag), for_groff(text));
}

/// Each line is a paragraph.
std::string filled(const std::string& text) {
  std::string page;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) page += ".PP\n" + for_groff(line) + '\n';
  return page;
}

/// Lines as they are, without the two blanks at the beginning: groff indents them itself.
std::string as_laid_out(std::string_view text) {
  std::string page = ".nf\n";
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) page += for_groff(line.substr(2)) + '\n';
  return page + ".fi\n";
}

std::string section(const Subcommand& subcommand) {
  std::string page = fmt::format(".SH BOMBARD {}\n", subcommand.name);
  for (char& c : page) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  page += filled(subcommand.about);
  for (const Topic& topic : subcommand.topics)
    page += tagged(usage(subcommand, &topic), topic.help);
  for (const OptionGroup& group : subcommand.groups) {
    page += fmt::format(".SS {} options\n", group.title);
    for (const Option& option : group.options)
      page += tagged(signature(option), description(option, true));
  }
  return page + ".SS Examples\n" + as_laid_out(subcommand.examples);
}

}  // namespace

std::string manual_page(std::span<const Subcommand> subcommands) {
  std::string page = fmt::format(
      ".TH BOMBARD 1 \"\" \"bombard {}\" \"User Commands\"\n"
      ".SH NAME\nbombard \\- particle bombardment of a layer, on GPUs and CPUs\n.SH SYNOPSIS\n",
      build_info.version);
  for (const Subcommand& subcommand : subcommands) {
    page += fmt::format(".B bombard {}\n{} [OPTION...]\n.br\n", subcommand.name,
                        for_groff(subcommand.arguments));
  }
  page += ".SH DESCRIPTION\n" + for_groff(about_arguments) + '\n';
  for (const Subcommand& subcommand : subcommands) {
    page += tagged("bombard " + subcommand.name, subcommand.summary);
  }
  for (const Subcommand& subcommand : subcommands) page += section(subcommand);
  page += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : exit_codes) page += tagged(code, meaning);
  return page + ".SH EXAMPLES\n" + as_laid_out(examples_of_all);
}

}  // namespace bombard::tools
