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
#include "tools/judge/run.hpp"
#include "tools/judge/run_directory.hpp"

namespace bombard::judge {

namespace {

/// A program on its way through the judge.
struct Submission {
  std::string program;
  std::string path = program;                        ///< of the program to run
  std::unique_ptr<ScratchDirectory> directory = {};  ///< where it was built; none without `--build`
  std::vector<ProgramJudgement> judgements = {};
  bool is_judged = false;  ///< unless a signal came before
};

Options with_threads(Options options, std::optional<int> threads) {
  options.threads = threads;
  return options;
}

/// Builds the program in a copy of its folder, within the limits of a run. Why there is no program;
/// empty when there is one.
std::string build(Submission& submission, const Options& options) {
  namespace filesystem = std::filesystem;
  const filesystem::path given = filesystem::absolute(submission.program);
  submission.directory = std::make_unique<ScratchDirectory>();
  const filesystem::path folder = submission.directory->path() + "/build";
  submission.path = (folder / given.filename()).string();
  std::error_code error;
  filesystem::copy(given.parent_path(), folder,
                   filesystem::copy_options::recursive | filesystem::copy_options::copy_symlinks,
                   error);
  if (error) {
    return fmt::format("its folder cannot be copied to {}: {}", folder.string(), error.message());
  }
  const ProcessOutcome outcome =
      run_process({"/bin/sh", "-c", options.build}, folder.string(), options.limits);
  std::string failure = failure_of(outcome, options.limits);
  if (failure.empty() && ::access(submission.path.c_str(), X_OK) != 0) {
    failure = fmt::format("makes no program {}", given.filename().string());
  }
  return failure.empty() ? failure : fmt::format("`{}` {}", options.build, failure);
}

void judge_submission(Submission& submission, const std::vector<PreparedCase>& cases,
                      const Options& options, MistakenAnswers& mistaken) {
  const std::string failure = options.build.empty() ? "" : build(submission, options);
  for (const std::optional<int> threads : options.numbers_of_threads) {
    ProgramJudgement judgement{.program = {}, .failed_build = failure};
    if (failure.empty()) {
      judgement = judge_program(submission.path, cases, with_threads(options, threads), mistaken);
    }
    judgement.program = submission.program;
    judgement.threads = threads;
    submission.judgements.push_back(std::move(judgement));
  }
  submission.is_judged = !tools::signal_has_come();
}

/// Runs the cases that show speed once more, with nothing beside them; other times are dropped.
void time_again(Submission& submission, const Options& options) {
  for (ProgramJudgement& judgement : submission.judgements) {
    const bool all = std::ranges::none_of(judgement.cases, shows_speed);
    for (CaseJudgement& of_case : judgement.cases) {
      const bool again = (all || shows_speed(of_case)) && of_case.verdict <= Verdict::rounding;
      CaseJudgement alone{.prepared = of_case.prepared};
      if (again) {
        alone = judge_case(submission.path, *of_case.prepared,
                           with_threads(options, judgement.threads), judgement.hints);
      }
      if (tools::signal_has_come()) return;
      of_case.time = alone.time;
      of_case.whole_seconds = alone.whole_seconds;
      if (again) of_case.run_seconds = alone.run_seconds;
      if (alone.verdict > of_case.verdict) of_case = alone;
    }
  }
}

/// Several threads take the submissions one after the other, each thread another one.
void judge_side_by_side(std::vector<Submission>& submissions,
                        const std::vector<PreparedCase>& cases, Options options,
                        const std::function<void(std::size_t done)>& progress) {
  options.timed = false;
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex mutex;
  const auto work = [&] {
    MistakenAnswers mistaken;
    for (std::size_t i = 0; (i = next++) < submissions.size();) {
      judge_submission(submissions[i], cases, options, mistaken);
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
  for (const std::string& program : programs) submissions.push_back({program});
  if (options.jobs > 1) judge_side_by_side(submissions, cases, options, progress);
  MistakenAnswers mistaken;
  std::size_t done = 0;
  for (Submission& submission : submissions) {
    if (options.jobs == 1) {
      judge_submission(submission, cases, options, mistaken);
    } else if (submission.is_judged) {
      time_again(submission, options);
    }
    if (submission.is_judged) judged(submission.judgements);
    progress(++done);
    submission.directory.reset();
  }
}

}  // namespace bombard::judge
