#include "tools/judge/judged_class.hpp"

#include "tools/cli/signals.hpp"

namespace bombard::judge {

void judge_class(const std::vector<std::string>& programs, const std::vector<PreparedCase>& cases,
                 const JudgeOptions& options, const ClassOptions& of_class,
                 const ClassObserver& observer) {
  MistakenAnswers mistaken;
  std::size_t done = 0;
  for (const std::string& program : programs) {
    std::vector<ProgramJudgement> judgements;
    for (const std::optional<int> threads : of_class.threads) {
      JudgeOptions with_threads = options;
      with_threads.command.threads = threads;
      judgements.push_back(judge_program(program, cases, with_threads, mistaken));
      judgements.back().threads = threads;
    }
    if (tools::HeldSignals::has_come()) return;
    observer.judged(judgements);
    observer.progress(++done);
  }
}

}  // namespace bombard::judge
