#include <nlohmann/json.hpp>

#include "tools/cli/build_info.hpp"
#include "tools/judge/reports/formats.hpp"
#include "tools/judge/reports/grades.hpp"

namespace bombard::judge {

namespace {

using nlohmann::ordered_json;

ordered_json object_of(const CaseJudgement& judgement) {
  const PreparedCase& tried = *judgement.prepared;
  const bool is_right = judgement.verdict == Verdict::right;
  return {{"case", tried.name},
          {"tries", tried.tries},
          {"group", tried.is_beyond ? "beyond" : "assignment"},
          {"counts", tried.counts},
          {"edition", static_cast<int>(tried.edition)},
          {"cells", tried.cells},
          {"storms", tried.storms.size()},
          {"kind", word_for(judgement.verdict)},
          {"right", is_right},
          {"complaint", judgement.complaint},
          {"distance", judgement.distance},
          {"looks_like", is_right ? std::vector<std::string>() : names_of(judgement.looks_like)},
          {"time_seconds", judgement.time},
          {"whole_seconds", judgement.whole_seconds},
          {"run_seconds", judgement.run_seconds},
          {"bombard_seconds", tried.right.seconds},
          {"sequential_seconds", judgement.sequential_seconds},
          {"sequential_is_estimate", tried.sequential_is_estimate},
          {"shows_speed", shows_speed(tried)}};
}

ordered_json object_of(const ProgramJudgement& judgement, const Options& options) {
  ordered_json hints = ordered_json::array();
  for (const auto& [kind, hint] : judgement.hints) hints.push_back(hint);
  ordered_json cases = ordered_json::array();
  for (const CaseJudgement& of_case : judgement.cases) cases.push_back(object_of(of_case));
  return {{"program", judgement.program},
          {"threads", judgement.threads ? ordered_json(*judgement.threads) : ordered_json()},
          {"kind", word_for(judgement.verdict)},
          {"right", judgement.verdict == Verdict::right},
          {"confinement", options.confinement},
          {"failed_build", judgement.failed_build},
          {"hints", hints},
          {"seconds", judgement.seconds},
          {"points", points_of(graded_tests(std::span(&judgement, 1), options))},
          {"speedup", judgement.speedup},
          {"looks_like", names_of(judgement.looks_like)},
          {"explanation", explanation_of(judgement)},
          {"cases", cases}};
}

}  // namespace

std::string json(const std::vector<ProgramJudgement>& programs, const Options& options) {
  ordered_json objects = ordered_json::array();
  for (const ProgramJudgement& program : programs) objects.push_back(object_of(program, options));
  const ordered_json all{
      {"program", "bombard"}, {"version", build_info.version}, {"programs", objects}};
  constexpr bool only_ascii = false;
  return all.dump(2, ' ', only_ascii, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace bombard::judge
