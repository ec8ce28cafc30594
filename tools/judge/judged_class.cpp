#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <list>
#include <utility>

#include "inputs/output_file.hpp"
#include "tools/judge/judgement.hpp"
#include "tools/judge/processes/run_directory.hpp"
#include "tools/judge/program_file.hpp"
#include "tools/judge/runs.hpp"

namespace bombard::judge {

namespace {

namespace filesystem = std::filesystem;

/// Changes with a program, with the rights to it, and with those to its folder.
std::string state_of(const filesystem::path& program) {
  struct stat file {
  }, folder{};
  ::stat(program.c_str(), &file);
  ::stat(program.parent_path().c_str(), &folder);
  return fmt::format("{} {}.{} {}", file.st_ino, file.st_ctim.tv_sec, file.st_ctim.tv_nsec,
                     folder.st_mode);
}

/// A program and its folder, copied before any program runs: no other one can name the copy.
struct Copied {
  Copied(const std::string& program, const Options& options)
      : given(program), original(absolute_path(program)), directory(options.scratch) {
    folder = options.build.empty() ? own_folder(original, options.others)
                                   : original.parent_path().string();
    path = filesystem::path(directory.work()) / original.filename();
    if (options.build.empty()) {
      copy_program(options);
    } else {
      copy({"-R", folder + "/."}, options.limits.file_bytes, options);
      ::unlink(path.c_str());  // no older program is taken for what is built
    }
    std::error_code error;
    filesystem::permissions(directory.work(), filesystem::perms::owner_all, error);
  }

  /// Where no copy can be made or started, the original is judged.
  void copy_program(const Options& options) {
    const auto is_file = [](const filesystem::path& file) {
      return why_not_startable(file, true).empty();
    };
    if (is_file(original) && starts_programs(directory.path())) {
      // Larger data stay where they are, and may be read there.
      constexpr std::int64_t most_beside = 64 << 20;
      if (folder != original) copy({"-R", folder + "/."}, most_beside, options);
      std::error_code error;
      const std::string real = filesystem::canonical(path, error);
      const std::string copied = filesystem::canonical(directory.work(), error);
      if (!is_file(path) ||
          !real.starts_with(copied + '/')) {  // a link that leads out of its folder
        ::unlink(path.c_str());
        copy({"-L", original}, options.limits.file_bytes, options);
      }
    }
    if (!is_file(path)) path = original;
  }

  /// Copies with the judge's rights. Files keep their times, for makefiles.
  void copy(const std::vector<std::string>& what, std::int64_t most_bytes, const Options& options) {
    Limits limits = options.limits;
    limits.seconds = Limits().seconds;
    limits.file_bytes = most_bytes;
    std::vector<std::string> words{"cp", "--preserve=timestamps"};
    words.insert(words.end(), what.begin(), what.end());
    words.push_back(directory.work());
    const ProcessOutcome outcome = run_process(words, directory, limits);
    trouble = failure_of(outcome, limits);
    if (outcome.ending == Ending::exited) return;
    remove_tree(directory.work());  // half of a folder that takes the others' place
    std::error_code error;
    filesystem::create_directory(directory.work(), error);
  }

  std::string given;  ///< as it was given
  filesystem::path original, path;
  std::string folder;  ///< its own, or only the program
  ScratchDirectory directory;
  std::string trouble = {};  ///< why something is missing in the copy
  std::string state = state_of(original);
};

/// Writes all that a build says into the directory of `--keep`, in a file named after the program.
void keep_log(const ProcessOutcome& made, const filesystem::path& given, const Options& options) {
  constexpr std::size_t longest_name = 200;
  if (options.keep.empty()) return;
  std::string name = given.relative_path().string();
  std::ranges::replace(name, '/', '_');
  if (name.size() > longest_name) name.erase(0, name.size() - longest_name);
  write_whole(filesystem::path(options.keep) / (name + ".log"), made.output + made.errors);
}

/// Builds a program in its copy, within the limits of a run. Returns why there is no program; empty
/// if there is one.
std::string build(const Copied& program, const Options& options) {
  const auto made = run_words({"/bin/sh", "-c", options.build}, program.directory, options);
  keep_log(made, program.original, options);
  std::string failure = failure_of(made, options.limits);
  if (failure.empty()) {
    const std::string why = why_not_startable(program.path, has_launcher(options));
    if (why.empty()) return {};
    failure = fmt::format("makes no program {}: {}", program.path.filename().string(), why);
  }
  // What may not be read may not be needed, either.
  return fmt::format("`{}` {}{}{}", options.build, failure,
                     program.trouble.empty() ? "" : "; its folder cannot be copied: cp ",
                     program.trouble);
}

/// Runs a program with each number of threads.
std::vector<ProgramJudgement> judge(const Copied& program, const std::vector<PreparedCase>& cases,
                                    Options options) {
  options.original = program.folder;
  options.copy = program.directory.path();
  const std::string failed_build = options.build.empty() ? "" : build(program, options);
  std::vector<ProgramJudgement> judgements;
  for (const std::optional<int> threads : options.numbers_of_threads) {
    options.threads = threads;
    ProgramRuns runs{.options = options};
    if (failed_build.empty()) runs = run_program(program.path, cases, options);
    runs.program = program.given;
    runs.failed_build = failed_build;
    judgements.push_back(judgement_of(runs));
  }
  return judgements;
}

/// A hint about the programs that changed since it was called last; empty if none did.
std::string hint_about_originals(std::list<Copied>& programs) {
  std::string changed;
  for (Copied& program : programs) {
    const std::string before = std::exchange(program.state, state_of(program.original));
    if (program.state != before) changed += (changed.empty() ? "" : ", ") + program.given;
  }
  if (changed.empty()) return {};
  return fmt::format("While it was judged, {} changed: all are judged from earlier copies.",
                     changed);
}

}  // namespace

void judge_class(const std::vector<std::string>& programs, const std::vector<PreparedCase>& cases,
                 Options options,
                 const std::function<void(const std::vector<ProgramJudgement>&)>& judged) {
  const ScratchDirectory all;
  if (!options.build.empty() && !starts_programs(all.path())) {
    throw InputError(fmt::format(
        "nothing that is built in {} can be started: it is mounted noexec; name another directory "
        "in TMPDIR",
        all.path()));
  }
  options.scratch = all.path();
  try {
    std::list<Copied> copies;
    for (const std::string& program : programs) copies.emplace_back(program, options);
    for (const Copied& program : copies) {
      std::vector<ProgramJudgement> judgements = judge(program, cases, options);
      const std::string hint = hint_about_originals(copies);
      if (!hint.empty()) judgements.front().hints["originals"] = hint;
      judged(judgements);
    }
  } catch (const Interrupted&) {  // those that have been judged stay
  }
}

}  // namespace bombard::judge
