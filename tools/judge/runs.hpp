#pragma once

#include <string>
#include <vector>

#include "tools/judge/judgement.hpp"

/// Programs are run here, and nowhere else: what becomes of their runs is a verdict
/// (judgement.hpp).
namespace bombard::judge {

/// Runs a program on every case, until three have taken too long or the first one shows that it
/// takes other arguments; where {threads} before {cells} lets it answer, it is run with that. A
/// program that is not right is run again, to see whether it is wrong in the same way, but for the
/// digits of a mistake, as it had in a case before.
ProgramRuns run_program(const std::string& program, const std::vector<PreparedCase>& cases,
                        const Options& options);

/// Adds the timed runs that are asked for, in turns with the sequential program or the baseline
/// where the case shows speed.
void add_timed_runs(CaseRuns& of_case, const std::string& program, const Options& options);

/// Throws InputError, with the case, where the baseline is not right; its times take the place of
/// the sequential program's.
void take_baseline(std::vector<PreparedCase>& cases, const Options& options);

/// Throws InputError unless there is a file; it must be executable where nothing stands before it
/// in the command.
void require_program(const std::string& path, const Options& options);

}  // namespace bombard::judge
