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

#include "tools/cli/signals.hpp"
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
  const std::string folder = submission.directory->folder("build");
  submission.path = folder / given.filename();
  require_programs_start_in(folder);
  try {
    copy_folder(given.parent_path(), folder);
  } catch (const filesystem::filesystem_error& error) {
    return fmt::format("its folder cannot be copied to {}: {}", folder, error.code().message());
  }
  const ProcessOutcome outcome =
      run_words({"/bin/sh", "-c", options.build}, folder, submission.path, options, {});
  std::string failure = failure_of(outcome, options.limits);
  if (failure.empty() && ::access(submission.path.c_str(), X_OK) != 0) {
    failure = fmt::format("makes no program {}", given.filename().string());
  }
  return failure.empty() ? failure : fmt::format("`{}` {}", options.build, failure);
}

void run_submission(Submission& submission, const std::vector<PreparedCase>& cases,
                    Options options) {
  std::string failed_build;
  if (!options.build.empty()) failed_build = build(submission, options);
  for (const std::optional<int> threads : options.numbers_of_threads) {
    options.threads = threads;
    ProgramRuns runs{.options = options};
    if (failed_build.empty()) runs = run_program(submission.path, cases, options);
    runs.program = submission.program;
    runs.failed_build = failed_build;
    submission.runs.push_back(std::move(runs));
  }
  if (tools::signal_has_come()) submission.runs.clear();
}

/// Runs the cases that show speed once more, or all if none does, with nothing running alongside.
void run_alone(Submission& submission, const Options& options) {
  for (auto& [program, failed_build, used, cases] : submission.runs) {
    used.repeat = options.repeat;
    const auto shows = [](const CaseRuns& of_case) { return shows_speed(*of_case.prepared); };
    const bool all = std::ranges::none_of(cases, shows);
    for (CaseRuns& of_case : cases) {
      if (!all && !shows(of_case)) continue;
      if (judgement_of(of_case, used).verdict > Verdict::rounding) continue;
      add_timed_runs(of_case, submission.path, used);
      if (tools::signal_has_come()) return;
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
  if (options.jobs > 1) run_side_by_side(submissions, cases, options, progress);
  std::size_t done = 0;
  for (Submission& submission : submissions) {
    if (options.jobs == 1) {
      run_submission(submission, cases, options);
    } else {
      run_alone(submission, options);
    }
    std::vector<ProgramJudgement> judgements;
    for (const ProgramRuns& runs : submission.runs) {
      judgements.push_back(judgement_of(runs, options));
    }
    if (!judgements.empty()) judged(judgements);
    progress(++done);
    submission.directory.reset();
  }
}

}  // namespace bombard::judge
