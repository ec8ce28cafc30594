#pragma once

#include <span>
#include <string>

#include "tools/judge/judgement.hpp"

namespace bombard::judge {

/// How judgements are written (docs/judging.md).
enum class JudgementFormat { table, json, csv };
/// "table", "json" or "csv"; throws InputError for anything else.
JudgementFormat parse_judgement_format(const std::string& text);

/// For people: a line for each case, what is wrong in it, and what it looks like. A program's own
/// words are printable in it.
std::string table(const ProgramJudgement& judgement);

/// For people: a line for each program of a class.
std::string summary(std::span<const ProgramJudgement> judgements);

/// RFC 8259, UTF-8.
std::string json(std::span<const ProgramJudgement> judgements);

/// RFC 4180: a row for each case of each program, a header before them.
std::string csv(std::span<const ProgramJudgement> judgements);

}  // namespace bombard::judge
