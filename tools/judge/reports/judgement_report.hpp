#pragma once

#include <span>
#include <string>

#include "tools/judge/reports/grade.hpp"

namespace bombard::judge {

/// For people: a line for each case, those of the assignment first, what is wrong in it, and what
/// it looks like. A program's own words are printable in it.
std::string table(const ProgramJudgement& judgement);

/// Remarks on a program as a whole, in lines: the mistakes that it looks like, hints, or why it
/// could not be built.
std::string remarks(const ProgramJudgement& judgement);

/// "no_threshold or relaxed_twice": the mistakes that a program looks like; empty without any.
std::string mistakes_of(const ProgramJudgement& judgement);

/// For people: a line for each program of a class.
std::string summary(std::span<const ProgramJudgement> judgements);

/// RFC 8259, UTF-8: an object for each program, with what it earns.
std::string json(std::span<const ProgramJudgement> judgements, const Grading& grading);

/// RFC 4180: a row for each case of each program, a header before them.
std::string csv(std::span<const ProgramJudgement> judgements, const Grading&);

}  // namespace bombard::judge
