#pragma once

#include <string>
#include <vector>

#include "tools/judge/judgement.hpp"

/// Programs are run here, and nowhere else; their runs are judged elsewhere (judgement.hpp).
namespace bombard::judge {

/// Runs a program on every case, until three have taken too long or the first one shows that it
/// takes other arguments; if it answers with {threads} before {cells}, it is run in this way. A
/// program that is not right is run again, to see whether it is wrong in the same way, unless it
/// has the digits of a mistake, as in an earlier case.
ProgramRuns run_program(const std::string& program, const std::vector<PreparedCase>& cases,
                        const Options& options);

/// Adds the timed runs that are asked for, alternating with the sequential program or the baseline
/// if the case shows speed.
void add_timed_runs(CaseRuns& of_case, const std::string& program, const Options& options);

/// Throws InputError, with the case, if the baseline is not right; its times replace those of the
/// sequential program.
void take_baseline(std::vector<PreparedCase>& cases, const Options& options);

/// Throws InputError unless the file exists; it must be executable unless something comes before it
/// in the command.
void require_program(const std::string& path, const Options& options);

}  // namespace bombard::judge
