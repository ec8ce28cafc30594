#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "tools/judge/judgement.hpp"
#include "tools/judge/processes/run_directory.hpp"
#include "tools/judge/runs.hpp"

namespace bombard::judge {

namespace {

namespace filesystem = std::filesystem;

/// A program on its way through the judge.
struct Submission {
  std::string program;                               ///< as it was given
  std::string path;                                  ///< of the program to run, absolute
  std::unique_ptr<ScratchDirectory> directory = {};  ///< where it was built; none without `--build`
  std::vector<ProgramRuns> runs = {};  ///< one for each number of threads; none after a signal
};

/// Builds the program in a copy of its folder, within the limits of a run. Returns why there is no
/// program; empty if there is one.
std::string build(Submission& submission, const Options& options) {
  const filesystem::path given = submission.path;
  submission.directory = std::make_unique<ScratchDirectory>();
  const std::string folder = submission.directory->work();
  submission.path = folder / given.filename();
  require_programs_start_in(folder);
  const std::string contents = given.parent_path() / ".";
  const auto copy = run_process({"cp", "-R", contents, folder}, folder, options.limits);
  std::string failure = failure_of(copy, options.limits);
  if (!failure.empty())
    return fmt::format("its folder cannot be copied to {}: cp {}", folder, failure);
  const auto made = run_words({"/bin/sh", "-c", options.build}, folder, submission.path, options);
  failure = failure_of(made, options.limits);
  if (failure.empty() && ::access(submission.path.c_str(), X_OK) != 0) {
    failure = fmt::format("makes no program {}", given.filename().string());
  }
  return failure.empty() ? failure : fmt::format("`{}` {}", options.build, failure);
}

void run_submission(Submission& submission, const std::vector<PreparedCase>& cases,
                    Options options) {
  std::string failed_build;
  if (!options.build.empty()) failed_build = build(submission, options);
  std::vector<ProgramRuns> all;
  for (const std::optional<int> threads : options.numbers_of_threads) {
    options.threads = threads;
    ProgramRuns runs{.options = options};
    if (failed_build.empty()) runs = run_program(submission.path, cases, options);
    runs.program = submission.program;
    runs.failed_build = failed_build;
    all.push_back(std::move(runs));
  }
  submission.runs = std::move(all);
}

/// Runs the cases that count for speed once more, with nothing running alongside.
void run_alone(Submission& submission, const Options& options) {
  for (ProgramRuns& runs : submission.runs) {
    runs.options.repeat = options.repeat;
    for (CaseRuns& of_case : runs.cases) {
      if (!of_case.prepared->counts_speed) continue;
      if (judgement_of(of_case, options).verdict > Verdict::rounding) continue;
      add_timed_runs(of_case, submission.path, runs.options);
    }
  }
}

/// Several threads take the submissions in order, each thread a different one.
void run_side_by_side(std::vector<Submission>& submissions, const std::vector<PreparedCase>& cases,
                      Options options, const std::function<void(std::size_t done)>& progress) {
  options.repeat = 0;  // times count only where nothing runs alongside
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t i = 0; (i = next++) < submissions.size();) {
      run_submission(submissions[i], cases, options);
      const std::scoped_lock lock(mutex);
      progress(++done);
    }
  };
  std::vector<std::future<void>> threads;
  for (int i = 0; i < options.jobs; ++i) threads.push_back(std::async(std::launch::async, work));
  for (std::future<void>& thread : threads) thread.get();
}

}  // namespace

void judge_class(const std::vector<std::string>& programs, const std::vector<PreparedCase>& cases,
                 const Options& options, const std::function<void(std::size_t done)>& progress,
                 const std::function<void(const std::vector<ProgramJudgement>&)>& judged) {
  std::vector<Submission> submissions;
  for (const std::string& program : programs) {
    submissions.push_back({program, filesystem::absolute(program)});
  }
  const auto judge = [&](Submission& submission) {
    std::vector<ProgramJudgement> judgements;
    for (const ProgramRuns& runs : submission.runs) {
      judgements.push_back(judgement_of(runs));
    }
    submission = {};
    if (!judgements.empty()) judged(judgements);
  };
  try {
    if (options.jobs > 1) run_side_by_side(submissions, cases, options, progress);
    for (std::size_t i = 0; i < submissions.size(); ++i) {
      if (options.jobs == 1) {
        run_submission(submissions[i], cases, options);
      } else {
        run_alone(submissions[i], options);
      }
      judge(submissions[i]);
      progress(i + 1);
    }
  } catch (const Interrupted&) {
    std::ranges::for_each(submissions, judge);  // those that have been run
  }
}

}  // namespace bombard::judge
