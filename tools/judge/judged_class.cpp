#include "tools/judge/judged_class.hpp"

namespace bombard::judge {

void judge_class(const std::vector<std::string>& programs, const std::vector<PreparedCase>& cases,
                 const JudgeOptions& options, const ClassOptions& of_class,
                 const JudgedSink& judged) {
  MistakenAnswers mistaken;
  for (const std::string& program : programs) {
    std::vector<ProgramJudgement> judgements;
    for (const std::optional<int> threads : of_class.threads) {
      JudgeOptions with_threads = options;
      with_threads.command.threads = threads;
      judgements.push_back(judge_program(program, cases, with_threads, mistaken));
      judgements.back().threads = threads;
    }
    judged(judgements);
  }
}

}  // namespace bombard::judge
