#pragma once

#include <string>
#include <vector>

#include "tools/judge/judgement.hpp"

/// Programs are run here, and nowhere else; their runs are judged elsewhere (judgement.hpp).
namespace bombard::judge {

/// A run that is made after others with one of these verdicts on all of them. Runs whose times
/// count are made while there are maxima. After a run without maxima it takes that one's place, if
/// its verdict is another one.
struct PlannedRun {
  Start start;
  std::vector<Verdict> after = {};
};

/// All runs that a program may need on a case, in their order.
std::vector<PlannedRun> plan_of_runs(const PreparedCase& prepared, const Options& options);

/// Runs a program on every case, until three have taken too long; on none if there is trouble with
/// it.
ProgramRuns run_program(const std::string& program, const std::string& trouble,
                        const std::vector<PreparedCase>& cases, const Options& options);

}  // namespace bombard::judge
