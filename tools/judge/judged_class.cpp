#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "tools/judge/judgement.hpp"
#include "tools/judge/processes/run_directory.hpp"
#include "tools/judge/program_file.hpp"
#include "tools/judge/runs.hpp"

namespace bombard::judge {

namespace {

namespace filesystem = std::filesystem;

/// Builds a program in a copy of its folder, within the limits of a run. Times are kept, and what
/// is to be built is removed first, so that no older program is taken for it. Returns why there is
/// no program; empty if there is one.
std::string build(const filesystem::path& given, const filesystem::path& folder,
                  const Options& options) {
  const filesystem::path program = folder / given.filename();
  require_programs_start_in(folder);
  const auto copy =
      run_process({"cp", "-R", "--preserve=timestamps", given.parent_path() / ".", folder}, folder,
                  options.limits);
  // What may not be read may not be needed, either.
  std::string not_copied = failure_of(copy, options.limits);
  if (!not_copied.empty())
    not_copied = fmt::format("its folder cannot be copied: cp {}", not_copied);
  if (copy.ending != Ending::exited) return not_copied;
  ::unlink(program.c_str());
  const auto made = run_words({"/bin/sh", "-c", options.build}, folder, program, options);
  std::string failure = failure_of(made, options.limits);
  if (failure.empty()) {
    const std::string why = why_not_startable(program, has_launcher(options));
    if (!why.empty())
      failure = fmt::format("makes no program {}: {}", given.filename().string(), why);
  }
  if (failure.empty()) return {};
  return fmt::format("`{}` {}{}{}", options.build, failure, not_copied.empty() ? "" : "; ",
                     not_copied);
}

/// Runs a program with each number of threads.
std::vector<ProgramJudgement> judge(const std::string& program,
                                    const std::vector<PreparedCase>& cases, Options options) {
  std::string path = absolute_path(program), failed_build;
  std::optional<ScratchDirectory> built;
  if (!options.build.empty()) {
    built.emplace();
    failed_build = build(path, built->work(), options);
    path = filesystem::path(built->work()) / filesystem::path(path).filename();
  }
  std::vector<ProgramJudgement> judgements;
  for (const std::optional<int> threads : options.numbers_of_threads) {
    options.threads = threads;
    ProgramRuns runs{.options = options};
    if (failed_build.empty()) runs = run_program(path, cases, options);
    runs.program = program;
    runs.failed_build = failed_build;
    judgements.push_back(judgement_of(runs));
  }
  return judgements;
}

}  // namespace

void judge_class(const std::vector<std::string>& programs, const std::vector<PreparedCase>& cases,
                 const Options& options,
                 const std::function<void(const std::vector<ProgramJudgement>&)>& judged) {
  try {
    for (const std::string& program : programs) judged(judge(program, cases, options));
  } catch (const Interrupted&) {  // those that have been judged stay
  }
}

}  // namespace bombard::judge
