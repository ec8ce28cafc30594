#include "tools/judge/judged_class.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "tools/cli/signals.hpp"
#include "tools/judge/build.hpp"
#include "tools/judge/reports/speed.hpp"

namespace bombard::judge {

namespace {

/// A program on its way through the judge.
struct Submission {
  std::string program;
  std::unique_ptr<BuiltProgram> built = {};  ///< none without `--build`
  std::vector<ProgramJudgement> judgements = {};
  bool is_judged = false;  ///< unless a signal came before

  const std::string& path() const { return built ? built->path() : program; }
};

JudgeOptions with_threads(JudgeOptions options, std::optional<int> threads) {
  options.command.threads = threads;
  return options;
}

void judge_submission(Submission& submission, const std::vector<PreparedCase>& cases,
                      const JudgeOptions& options, const ClassOptions& of_class,
                      MistakenAnswers& mistaken) {
  if (!of_class.build.empty()) {
    submission.built =
        std::make_unique<BuiltProgram>(submission.program, of_class.build, options.limits);
  }
  for (const std::optional<int> threads : of_class.threads) {
    ProgramJudgement judgement;
    if (submission.built && !submission.built->failure().empty()) {
      judgement.failed_build = submission.built->failure();
    } else {
      judgement = judge_program(submission.path(), cases, with_threads(options, threads), mistaken);
    }
    judgement.program = submission.program;
    judgement.threads = threads;
    submission.judgements.push_back(std::move(judgement));
  }
  submission.is_judged = !tools::HeldSignals::has_come();
}

/// Runs the cases that show speed once more, with nothing beside them; other times are dropped.
void time_again(Submission& submission, const JudgeOptions& options) {
  for (ProgramJudgement& judgement : submission.judgements) {
    const bool all = std::ranges::none_of(judgement.cases, shows_speed);
    for (CaseJudgement& of_case : judgement.cases) {
      const bool again = (all || shows_speed(of_case)) && of_case.verdict <= Verdict::rounding;
      CaseJudgement alone{.prepared = of_case.prepared};
      if (again) {
        alone = judge_case(submission.path(), *of_case.prepared,
                           with_threads(options, judgement.threads), judgement.hints);
      }
      if (tools::HeldSignals::has_come()) return;
      of_case.time = alone.time;
      of_case.whole_seconds = alone.whole_seconds;
      if (again) of_case.run_seconds = alone.run_seconds;
      if (alone.verdict > of_case.verdict) of_case = alone;
    }
  }
}

/// Several threads take the submissions one after the other, each thread another one.
void judge_side_by_side(std::vector<Submission>& submissions,
                        const std::vector<PreparedCase>& cases, const JudgeOptions& options,
                        const ClassOptions& of_class, const ClassObserver& observer) {
  JudgeOptions untimed = options;
  untimed.timed = false;
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex mutex;
  std::exception_ptr error;
  const auto work = [&] {
    MistakenAnswers mistaken;
    for (std::size_t i = 0; (i = next++) < submissions.size();) {
      try {
        judge_submission(submissions[i], cases, untimed, of_class, mistaken);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        error = std::current_exception();
        return;
      }
      const std::scoped_lock lock(mutex);
      observer.progress(++done);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < of_class.jobs; ++i) threads.emplace_back(work);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace

void judge_class(const std::vector<std::string>& programs, const std::vector<PreparedCase>& cases,
                 const JudgeOptions& options, const ClassOptions& of_class,
                 const ClassObserver& observer) {
  std::vector<Submission> submissions;
  for (const std::string& program : programs) submissions.push_back({program});
  if (of_class.jobs > 1) judge_side_by_side(submissions, cases, options, of_class, observer);
  MistakenAnswers mistaken;
  std::size_t done = 0;
  for (Submission& submission : submissions) {
    if (of_class.jobs == 1) {
      judge_submission(submission, cases, options, of_class, mistaken);
    } else if (submission.is_judged) {
      time_again(submission, options);
    }
    if (submission.is_judged) observer.judged(submission.judgements);
    observer.progress(++done);
    submission.built.reset();
  }
}

}  // namespace bombard::judge
