#pragma once

#include <string>
#include <vector>

#include "tools/judge/judgement.hpp"

/// Programs are run here, and nowhere else; their runs are judged elsewhere (judgement.hpp).
namespace bombard::judge {

/// When a planned run is made, by what the runs before it show.
enum class When {
  always,
  while_it_answers,     ///< with maxima
  while_right,          ///< a race may be hidden
  while_wrong,          ///< in another way, it may be a race
  where_digits_differ,  ///< by roundings alone
  // ---- these runs take the place of the last one, if they say more ----
  after_a_crash,    ///< which has lost output
  after_a_timeout,  ///< beside other work, threads that wait actively take for ever
  after_no_answer,  ///< a launcher may have put one process's line into another's
};

/// A run with another number of threads than asked for may fail: then it shows nothing.
struct PlannedRun {
  When when;
  Start start;
};

/// All runs that a program may need on a case, in their order.
std::vector<PlannedRun> plan_of_runs(const PreparedCase& prepared, const Options& options);

/// Runs a program on every case, until three have taken too long or the first one shows that it
/// takes other arguments.
ProgramRuns run_program(const std::string& program, const std::vector<PreparedCase>& cases,
                        const Options& options);

}  // namespace bombard::judge
