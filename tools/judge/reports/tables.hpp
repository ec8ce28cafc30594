#pragma once

#include "tools/judge/reports/judged_json.hpp"

/// Judgements for people. A program's own words are printable in them.
namespace bombard::judge {

/// The tables of a program, one for each number of threads, and how it scales with them.
std::string tables(const ordered_json& judgements);

/// Remarks on a program as a whole, in lines: the mistakes that it looks like, hints, or why it
/// could not be built.
std::string remarks(const ordered_json& judged);

/// A line of a class's summary; `sum` is from sum_of().
std::string summary_line(const ordered_json& sum);
constexpr const char* head_of_summary = "answer     wrong      seconds  speedup  program\n";

/// RFC 4180: a row for each case of each program, a header before them.
std::string csv(const ordered_json& programs, const Options&);

}  // namespace bombard::judge
